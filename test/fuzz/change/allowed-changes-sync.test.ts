import assert from 'node:assert/strict';
import { ALL_RULES } from '../../../webhook/admission/validate.ts';
import { changes } from './changes.ts';

const SEED = 2;
/** A Service that requests a hash scheduler for its existing round-robin listener. */
const HASH_FOR_ROUND_ROBIN = { seed: 7, from: 174, count: 1 };

/** Plays generated changes. The controller must be able to sync an allowed change, and no valid change may be denied. */
describe('generated Services and their changes', () => {
  it('are synced if they are allowed, and could not be synced if they are denied', async function () {
    this.timeout(60_000);
    const { failures, denied, synced } = await changes({ seed: SEED, count: 40 });
    assert.deepEqual(failures, []);
    assert.ok(denied > 5 && synced > 20, `${denied} denied, ${synced} synced`);
  });

  it('are denied if they request a scheduler that an existing listener cannot get', async () => {
    assert.deepEqual(await changes(HASH_FOR_ROUND_ROBIN), { denied: 1, synced: 0, failures: [] });
  });

  const without = (name: string) => ({ ...ALL_RULES, service: ALL_RULES.service.filter((rule) => rule.name !== name) });
  const planted = {
    'a missing rule': [without('load-balancer-change'), /allowed, and not synced: LoadBalancerChangeNotSupported/],
    'a missing rule while the load balancer has no published address': [
      without('immutable-annotation'),
      /allowed, and not synced: Immutable/,
      { from: 100, count: 20 },
    ],
    'a missing denial of a scheduler': [
      without('one-way-change'),
      /allowed, and not synced: UnsupportedChange: scheduler/,
      HASH_FOR_ROUND_ROBIN,
    ],
    'a rule that denies a valid change': [
      {
        ...ALL_RULES,
        service: ALL_RULES.service.map((rule) =>
          rule.name === 'load-balancer-change'
            ? {
                ...rule,
                check: () => [{ field: 'metadata.name', reason: 'Forbidden' as const, value: '', detail: 'no name' }],
              }
            : rule,
        ),
      },
      /denied, and synced: load-balancer-change metadata.name/,
    ],
  } as const;
  for (const [title, [rules, failure, stories = { count: 25 }]] of Object.entries(planted)) {
    it(`report ${title}`, async function () {
      this.timeout(60_000);
      const { failures } = await changes({ seed: SEED, ...stories, rules });
      assert.ok(
        failures.some((text) => failure.test(text)),
        failures.join('\n'),
      );
    });
  }
});
