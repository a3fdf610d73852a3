import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec } from '../../../src/policy/custom-resources.ts';
import { objectKey } from '../../../src/base/kubernetes-objects.ts';
import { policyStatus, gatherStatusInputs } from '../../../src/policy/status.ts';
import { StoredLabels } from '../../../src/policy/stored-labels.ts';
import { aPolicyCache } from '../../support/policy-cache.ts';
import { aPolicy } from '../../support/policy.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

const NAMESPACES = { shop: { team: 'shop' }, bank: { team: 'bank' } };

/** A policy whose selector matches nothing has no effect, which its author must learn. */
describe('the status of a policy that selects Services', () => {
  const FRONT: LoadBalancerPolicySpec = {
    match: {
      namespaceSelector: { matchLabels: { team: 'shop' } },
      serviceSelector: { matchLabels: { tier: 'front' } },
    },
    constraints: [{ name: 'c', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }],
  };
  const NO_MATCHES =
    'True NoMatches: applies to 1 namespace, but no Service there has the labels that the policy selects';
  const cases: Readonly<Record<string, readonly [ServiceInput | undefined, string]>> = {
    'reports that it is in force if a Service has the labels': [
      { labels: { tier: 'front' } },
      'True Accepted: applies to 1 namespace',
    ],
    'reports that no Service has the labels': [{ labels: { tear: 'front' } }, NO_MATCHES],
    'ignores Services of another namespace': [{ namespace: 'bank', labels: { tier: 'front' } }, NO_MATCHES],
    'ignores Services of another type': [{ type: 'ClusterIP', labels: { tier: 'front' } }, NO_MATCHES],
    'reports nothing about labels if Services are unknown': [undefined, 'True Accepted: applies to 1 namespace'],
  };
  for (const [what, [service, line]] of Object.entries(cases)) {
    it(what, () => {
      const { policyCache } = aPolicyCache({ policies: { p: FRONT }, namespaces: NAMESPACES });
      const services = service === undefined ? undefined : [aService(service)];
      const labels = new StoredLabels(policyCache, Object.keys(NAMESPACES), services);
      const status = policyStatus(aPolicy('p', FRONT), gatherStatusInputs(policyCache, labels, 0));
      const [condition] = status?.conditions ?? [];
      assert.equal(`${condition?.status} ${condition?.reason}: ${condition?.message}`, line);
    });
  }
});

describe('stored labels', () => {
  it('are read once, at their first use', () => {
    let reads = 0;
    const values = () => {
      reads += 1;
      return [aService({ labels: { tier: 'front' } })];
    };
    const labels = new StoredLabels(aPolicyCache().policyCache, Object.keys(NAMESPACES), { values });
    assert.equal(reads, 0);
    const found = ['web', 'api'].map((name) => labels.hasServiceNamed(objectKey(name, 'shop')));
    assert.deepEqual([found, reads], [[true, false], 1]);
  });
});
