import { playForgeries } from '../support/forgeries/play.ts';

const SEED = 1;
const HISTORIES = 200;
const AT_ONCE = 20;

/** A tenant can write any field of a Service. No forgery may delete the resources of another tenant. */
describe('Services of a tenant with forged fields', function () {
  this.timeout(120_000);
  for (let from = 0; from < HISTORIES; from += AT_ONCE)
    it(`leave no resources and delete no foreign resources, in the random sequences ${from} to ${from + AT_ONCE - 1}`, async () => {
      for (let number = from; number < from + AT_ONCE; number += 1) await playForgeries(SEED, number);
    });
});
