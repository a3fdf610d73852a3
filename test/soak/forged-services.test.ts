import { playForgeries } from '../support/forgeries/play.ts';

const SEED = 2;
const HISTORIES = 10_000;
const AT_ONCE = 100;

/** Runs on request, with many more random sequences of writes than test/faults/forged-services.test.ts. */
describe('Services of a tenant with forged fields, in many random sequences of writes,', function () {
  this.timeout(30 * 60_000);
  for (let from = 0; from < HISTORIES; from += AT_ONCE)
    it(`leave no resource behind and affect no other Service, in the sequences ${from} to ${from + AT_ONCE - 1}`, async () => {
      for (let number = from; number < from + AT_ONCE; number += 1) await playForgeries(SEED, number);
    });
});
