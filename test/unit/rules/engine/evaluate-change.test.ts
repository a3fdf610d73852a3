import assert from 'node:assert/strict';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { changeOf } from '../../../../src/rules/engine/evaluate-change.ts';
import { FINALIZER } from '../../../../src/rules/engine/controller-metadata.ts';
import { CLASS, TYPE } from '../../../../src/rules/engine/subject.ts';
import { aPolicyCache, evaluatedWith, findingTexts } from '../../../support/policy-cache.ts';
import { aService } from '../../../support/service.ts';

const ID = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id';
const withFinalizer = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, finalizers: [FINALIZER] },
});

const web = aService();
const inner = aService({ type: 'ClusterIP' });
const network = aService({ annotations: { [TYPE]: 'nlb', [ID]: 'lb-api' } });

interface Row {
  readonly from?: Service;
  readonly to: Service;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly mayDeny: boolean;
}

const rows: Readonly<Record<string, Row>> = {
  'that is created is new': { to: web, operation: 'CREATE', mayDeny: true },
  'that becomes a load balancer is new': { from: inner, to: web, operation: 'CREATE', mayDeny: true },
  'that another controller releases is new': {
    from: aService({ annotations: { [CLASS]: 'x' } }),
    to: web,
    operation: 'CREATE',
    mayDeny: true,
  },
  'that only the finalizer makes ours is new': {
    from: network,
    to: withFinalizer(network),
    operation: 'CREATE',
    mayDeny: true,
  },
  'that is ours and changes is an update': {
    from: web,
    to: aService({ ports: [81] }),
    operation: 'UPDATE',
    mayDeny: true,
  },
  'that stops being ours is an update': { from: web, to: inner, operation: 'UPDATE', mayDeny: true },
  'that never was ours is an update': {
    from: network,
    to: aService({ annotations: { [TYPE]: 'nlb' } }),
    operation: 'UPDATE',
    mayDeny: true,
  },
  'that is ours and gets the finalizer has no change': {
    from: web,
    to: withFinalizer(web),
    operation: 'UPDATE',
    mayDeny: false,
  },
  'that loses the finalizer has no change': {
    from: withFinalizer(network),
    to: network,
    operation: 'UPDATE',
    mayDeny: false,
  },
};

/** Only new violations deny, so a wrong comparison would block edits of stored Services. */
describe('a written Service', () => {
  for (const [title, { from, to, operation, mayDeny }] of Object.entries(rows)) {
    it(title, () => {
      const change = changeOf(to, from);
      assert.deepEqual([change.operation, change.mayDeny], [operation, mayDeny]);
    });
  }

  it('that only the new finalizer makes ours is denied with all violations', () => {
    const request = { oldObject: network, object: withFinalizer(network) };
    const findings = findingTexts(
      evaluatedWith(aPolicyCache(), request, { loadBalancers: { 'lb-api': { owner: 'api-server' } } }),
    );
    assert.ok(findings.includes('deny protected-load-balancer [id]=lb-api'), findings.join('\n'));
  });

  it('that becomes ours is evaluated by policies for creations, as in the controller', () => {
    const policies = {
      inside: {
        match: { operations: ['CREATE'] },
        constraints: [{ name: 'inside', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }],
      },
    } as const;
    const cache = aPolicyCache({ policies });
    assert.deepEqual(findingTexts(evaluatedWith(cache, { oldObject: inner, object: web })), [
      'deny policy/inside/inside [address-type]=',
    ]);
    assert.deepEqual(findingTexts(evaluatedWith(cache, { oldObject: aService({ ports: [81] }), object: web })), []);
  });
});
