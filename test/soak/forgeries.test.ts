import { playForgeries } from '../support/forgeries/play.ts';

const SEED = 2;
const HISTORIES = 10_000;
const AT_ONCE = 100;

/** Runs on request, with many more histories than the suite of faults. */
describe('any writes of a tenant to Services, in many histories,', function () {
  this.timeout(30 * 60_000);
  for (let from = 0; from < HISTORIES; from += AT_ONCE)
    it(`leave no resource behind and affect no other Service in histories ${from} to ${from + AT_ONCE - 1}`, async () => {
      for (let number = from; number < from + AT_ONCE; number += 1) await playForgeries(SEED, number);
    });
});
