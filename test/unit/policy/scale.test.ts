import assert from 'node:assert/strict';
import { aPolicyCache, evaluatedWith, findingTexts } from '../../support/policy-cache.ts';
import { anException } from '../../support/policy.ts';
import { aService } from '../../support/service.ts';

const POLICIES = 500;
const EXCEPTIONS = 5_000;

/** Large platforms have many policies and exceptions, which must not slow down each review. */
describe('500 policies and 5,000 exceptions', () => {
  const policies = Object.fromEntries(
    Array.from({ length: POLICIES }, (_, n) => [
      `p${n}`,
      {
        match: { namespaceSelector: { matchLabels: { team: `team-${n % 10}` } } },
        constraints: [{ name: 'c', require: [{ field: 'port' as const, noneOf: [String(1_000 + n)] }] }],
      },
    ]),
  );
  const exceptions = Array.from({ length: EXCEPTIONS }, (_, n) =>
    n % 2 === 0
      ? anException(`e${n}`, { rule: 'policy/p7/c', object: { namespace: `ns-${n}`, name: 'web' } })
      : anException(`e${n}`, {
          rule: 'policy/p7/c',
          selector: { namespaceSelector: { matchLabels: { tenant: `t-${n}` } } },
        }),
  );
  const namespaces = {
    'ns-8': { team: 'team-7' },
    'ns-9': { team: 'team-7' },
    'ns-of-t': { team: 'team-7', tenant: 't-9' },
    elsewhere: { team: 'team-8' },
  };
  const test = aPolicyCache({ policies, exceptions, namespaces });
  const consequence = (namespace: string, port: number): readonly string[] =>
    findingTexts(evaluatedWith(test, { object: aService({ namespace, ports: [port] }) })).map((line) =>
      line.split(' ').slice(0, 2).join(' '),
    );

  it('are each found exactly in their scope', () => {
    assert.deepEqual(consequence('ns-9', 1_007), ['deny policy/p7/c']);
    assert.deepEqual(consequence('ns-8', 1_007), ['warn policy/p7/c']);
    assert.deepEqual(consequence('ns-of-t', 1_007), ['warn policy/p7/c']);
    assert.deepEqual(consequence('elsewhere', 1_007), []);
    assert.deepEqual(consequence('elsewhere', 1_008), ['deny policy/p8/c']);
  });

  it('are counted, and share common data', () => {
    assert.equal(test.policyCache.policies.length, POLICIES);
    assert.equal([...test.policyCache.exceptions].length, EXCEPTIONS);
    assert.equal(test.policyCache.setFor('ns-8').members.length, POLICIES / 10);
    assert.equal(test.policyCache.setFor('ns-8'), test.policyCache.setFor('ns-9'));
  });
});
