import assert from 'node:assert/strict';
import type { LoadBalancerException, LoadBalancerPolicySpec } from '../../../src/policy/custom-resources.ts';
import { exceptionStatus } from '../../../src/policy/exception-status.ts';
import { gatherStatusInputs } from '../../../src/policy/status.ts';
import { StoredLabels } from '../../../src/policy/stored-labels.ts';
import { aPolicyCache } from '../../support/policy-cache.ts';
import { anException } from '../../support/policy.ts';
import { aService } from '../../support/service.ts';

const NOW = '2026-11-01T00:00:00Z';
const named = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });
const inShop = (matchLabels: Readonly<Record<string, string>>) => ({
  namespaceSelector: { matchLabels: { team: 'shop' } },
  serviceSelector: { matchLabels },
});

/** Users rely on an exception, so its status must contain the reason if the exception has no effect. */
describe('the status of an exception', () => {
  const policies: Readonly<Record<string, LoadBalancerPolicySpec>> = {
    p: {
      match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
      constraints: [{ name: 'c', require: [{ annotation: 'name', present: true }] }],
      quotas: [{ name: 'q', per: 'namespace', listeners: 5 }],
    },
    front: {
      match: { serviceSelector: { matchLabels: { a: 'x' } } },
      constraints: [{ name: 'c', require: [{ annotation: 'name', present: true }] }],
    },
  };
  const statusLine = (exception: LoadBalancerException, now: string): string => {
    const { policyCache } = aPolicyCache({
      policies,
      namespaces: { shop: { team: 'shop' }, bank: {} },
      exceptions: [exception],
      now,
    });
    const labels = new StoredLabels(
      policyCache,
      ['shop', 'bank'],
      [
        aService({ labels: { a: 'x' } }),
        aService({ name: 'back', labels: { tier: 'back' } }),
        aService({ name: 'inside', type: 'ClusterIP', labels: { tier: 'inside' } }),
      ],
    );
    const survey = gatherStatusInputs(policyCache, labels, Date.parse(now));
    const { conditions } = exceptionStatus(exception, survey);
    return conditions.map(({ status, reason, message }) => `${status} ${reason}: ${message}`).join();
  };
  const rule = 'policy/p/c';
  const rows: Readonly<Record<string, readonly [LoadBalancerException, string, string]>> = {
    'reports its end while it is in force': [
      anException('e', { rule }),
      NOW,
      'True Accepted: policy/p/c only warns until 2027-01-01T00:00:00Z',
    ],
    'reports that it ends soon': [
      anException('e', { rule }),
      '2026-12-26T00:00:00Z',
      'True ExpiresSoon: policy/p/c only warns until 2027-01-01T00:00:00Z',
    ],
    'reports that it ended': [
      anException('e', { rule }),
      '2027-01-01T00:00:00Z',
      'False Expired: the exception expired at 2027-01-01T00:00:00Z',
    ],
    'reports a missing constraint': [
      anException('e', { rule: 'policy/p/d' }),
      NOW,
      'False UnknownRule: there is no policy/p/d, so the exception has no effect',
    ],
    'reports a missing policy': [
      anException('e', { rule: 'policy/q/c' }),
      NOW,
      'False UnknownRule: there is no policy/q/c, so the exception has no effect',
    ],
    'reports that its policy does not cover the namespace': [
      anException('e', { rule, object: { namespace: 'bank', name: 'web' } }),
      NOW,
      'False NoMatches: policy p does not apply to namespace bank, so the exception has no effect',
    ],
    'reports that the policy of its quota does not cover the namespace': [
      anException('e', { rule: 'policy/p/q', object: { namespace: 'bank', name: 'web' } }),
      NOW,
      'False NoMatches: policy p does not apply to namespace bank, so the exception has no effect',
    ],
    'is in force for a built-in rule and an existing Service': [
      anException('e', { rule: 'annotation-value', object: { namespace: 'shop', name: 'back' } }),
      NOW,
      'True Accepted: annotation-value only warns until 2027-01-01T00:00:00Z',
    ],
    'reports a missing Service': [
      anException('e', { rule: 'annotation-value', object: { namespace: 'shop', name: 'wbe' } }),
      NOW,
      'True NoMatches: annotation-value only warns until 2027-01-01T00:00:00Z, but there is no Service shop/wbe of type LoadBalancer',
    ],
    'reports a Service of another type as missing': [
      anException('e', { rule, object: { namespace: 'shop', name: 'inside' } }),
      NOW,
      'True NoMatches: policy/p/c only warns until 2027-01-01T00:00:00Z, but there is no Service shop/inside of type LoadBalancer',
    ],
    'reports a missing namespace': [
      anException('e', { rule: 'annotation-value', object: { namespace: 'nowhere', name: 'web' } }),
      NOW,
      'True NoMatches: annotation-value only warns until 2027-01-01T00:00:00Z, but there is no Service nowhere/web of type LoadBalancer',
    ],
    'is in force if its policy selects the Service': [
      anException('e', { rule: 'policy/front/c' }),
      NOW,
      'True Accepted: policy/front/c only warns until 2027-01-01T00:00:00Z',
    ],
    'reports that its policy does not select the Service': [
      anException('e', { rule: 'policy/front/c', object: { namespace: 'shop', name: 'back' } }),
      NOW,
      'True NoMatches: policy/front/c only warns until 2027-01-01T00:00:00Z, but policy front does not select the Service',
    ],
    'reports that its policy selects none of its selected Services': [
      anException('e', { rule: 'policy/front/c', selector: inShop({ tier: 'back' }) }),
      NOW,
      'True NoMatches: policy/front/c only warns until 2027-01-01T00:00:00Z, but policy front does not select any Service of the exception',
    ],
    'is in force for a selection': [
      anException('e', { rule, selector: inShop({ a: 'x' }) }),
      NOW,
      'True Accepted: policy/p/c only warns until 2027-01-01T00:00:00Z',
    ],
    'reports that its selector matches no Service': [
      anException('e', { rule, selector: inShop({ a: 'y' }) }),
      NOW,
      'True NoMatches: policy/p/c only warns until 2027-01-01T00:00:00Z, but the exception selects no Service',
    ],
    'reports that its selector matches no Service in the selected namespaces': [
      anException('e', { rule: 'annotation-value', selector: { namespaceSelector: named('bank') } }),
      NOW,
      'True NoMatches: annotation-value only warns until 2027-01-01T00:00:00Z, but the exception selects no Service',
    ],
    'reports its end before other findings': [
      anException('e', { rule, selector: inShop({ a: 'y' }) }),
      '2026-12-26T00:00:00Z',
      'True ExpiresSoon: policy/p/c only warns until 2027-01-01T00:00:00Z, but the exception selects no Service',
    ],
    'reports that its selector matches no namespace': [
      anException('e', {
        rule: 'annotation-value',
        selector: { namespaceSelector: { matchLabels: { missing: 'label' } } },
      }),
      NOW,
      'False NoMatches: no namespace has the labels that the exception selects, so the exception has no effect',
    ],
    'reports that its policy does not cover the selected namespaces': [
      anException('e', { rule, selector: { namespaceSelector: named('bank') } }),
      NOW,
      'False NoMatches: policy p applies to no namespace that the exception selects, so the exception has no effect',
    ],
    'is in force for a selection of namespaces': [
      anException('e', { rule, selector: { namespaceSelector: named('shop') } }),
      NOW,
      'True Accepted: policy/p/c only warns until 2027-01-01T00:00:00Z',
    ],
    'reports that its selector contains no condition on namespaces': [
      anException('e', { rule, selector: { serviceSelector: { matchLabels: { a: 'x' } } } }),
      NOW,
      'False Unusable: spec: selector.namespaceSelector is empty, but users can choose the labels of their Services; set a label or an expression in selector.namespaceSelector',
    ],
    'reports that a selector cannot select Nodes': [
      anException('e', { rule: 'provider-id', selector: { serviceSelector: { matchLabels: { a: 'x' } } } }),
      NOW,
      'False Unusable: spec: provider-id checks Nodes, which no selector matches; name a Node in object',
    ],
    'reports that a Node has no namespace': [
      anException('e', { rule: 'provider-id', object: { namespace: 'shop', name: 'node-1' } }),
      NOW,
      'False Unusable: spec: provider-id checks Nodes, which have no namespace; remove object.namespace',
    ],
    'reports that every Service has a namespace': [
      anException('e', { rule: 'annotation-value', object: { name: 'web' } }),
      NOW,
      'False Unusable: spec: annotation-value checks Services, which have a namespace; set object.namespace',
    ],
    'reports that constraints are for Services, each in a namespace': [
      anException('e', { rule, object: { name: 'web' } }),
      NOW,
      'False Unusable: spec: policy/p/c checks Services, which have a namespace; set object.namespace',
    ],
    'is in force for a Node': [
      anException('e', { rule: 'provider-id', object: { name: 'node-1' } }),
      NOW,
      'True Accepted: provider-id only warns until 2027-01-01T00:00:00Z',
    ],
    'reports the reason if it is unusable': [
      anException('e', { rule: 'protected-load-balancer' }),
      NOW,
      'False Unusable: spec: there is no rule "protected-load-balancer" that allows exceptions',
    ],
  };
  for (const [what, [exception, now, line]] of Object.entries(rows)) {
    it(what, () => {
      assert.equal(statusLine(exception, now), line);
    });
  }
});
