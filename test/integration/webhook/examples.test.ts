import assert from 'node:assert/strict';
import { NODE_RULES, SERVICE_RULES } from '../../../webhook/rules/index.ts';
import { eventually } from '../../support/eventually.ts';
import { judgedExample } from '../../support/example.ts';
import { startExampleCluster, type ExampleCluster } from '../../support/example-cluster.ts';

/** The webhook's caches follow within milliseconds; configurations that are new, within a second. */
const TAKEN_UP_MS = 10_000;

describe('the examples of docs/rules.md, applied to the real API server', function () {
  this.timeout(60_000);
  let cluster: ExampleCluster;
  before(async () => {
    cluster = await startExampleCluster();
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  for (const rule of [...SERVICE_RULES, ...NODE_RULES]) {
    const isRefused = judgedExample(rule, 'wrong').refusals.length > 0;
    it(`${rule.name}: ${isRefused ? 'refuses' : 'warns of'} the wrong one by this rule alone, and takes the right one without a word`, async () => {
      await cluster.prepare(rule);
      await eventually(
        async () => {
          const { status, rules, said } = await cluster.apply(rule, 'wrong');
          assert.deepEqual(
            { isRefused: status === 422, isTaken: status < 300, rules },
            { isRefused, isTaken: !isRefused, rules: [rule.name] },
            said,
          );
        },
        TAKEN_UP_MS,
        20,
      );
      await eventually(
        async () => {
          const { status, said } = await cluster.apply(rule, 'right');
          assert.equal(said, '');
          assert.ok(status < 300);
        },
        TAKEN_UP_MS,
        20,
      );
    });
  }
});
