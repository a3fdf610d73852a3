import assert from 'node:assert/strict';
import type { KubernetesObject } from '../../../../src/base/kubernetes-objects.ts';
import type { Audited } from '../../../support/invariants/audit-log.ts';
import { aPicture, withMetadata, USER_MANAGED, sent } from '../../../support/invariants/history-builders.ts';
import type { CloudView, RecordedCall } from '../../../support/invariants/cloud-recorder.ts';
import { historyOf } from '../../../support/invariants/merged-history.ts';

const view = (atMs: number, input: Partial<CloudView> = {}): CloudView => ({
  atMs,
  cloudMs: atMs,
  loadBalancers: new Map(),
  elasticAddresses: [],
  instanceIds: new Set(),
  routes: [],
  ...input,
});
const call = (n: number, atMs: number, input: Partial<CloudView> = {}): RecordedCall => ({
  moment: sent('SetLoadBalancerName', { n }),
  atMs,
  view: view(atMs, input),
});
const stored = (atMs: number, input: Partial<Extract<Audited['happened'], { kind: 'stored' }>> = {}): Audited => {
  const service = withMetadata();
  const happened = {
    kind: 'stored',
    by: 'others',
    plural: 'services',
    key: 'shop/web',
    after: service,
    ...input,
  } as const;
  return { atMs, user: '', happened: happened as Audited['happened'] };
};
const lease = (holderIdentity: string, before?: string): Audited => {
  const object = (holder: string) => ({ spec: { holderIdentity: holder } }) as unknown as KubernetesObject;
  const was = before === undefined ? {} : { before: object(before) };
  return stored(1, { plural: 'leases', key: 'kube-system/ccm' as never, after: object(holderIdentity), ...was });
};
const kinds = (audited: readonly Audited[], calls: readonly RecordedCall[]): string =>
  historyOf(audited, calls)
    .map((moment) => (moment.kind === 'sent' ? `call ${moment.call.n}` : moment.kind))
    .join(', ');

/** A wrong order of calls and changes would hide a violation, or report a false one. */
describe('the history of a cluster and its cloud', () => {
  it('has calls and changes in order of time', () => {
    assert.equal(
      kinds([stored(2.5), stored(5)], [call(1, 1), call(2, 2.4), call(3, 2.6)]),
      'call 1, call 2, stored, call 3, stored',
    );
  });

  it('shows with a change of a Service its load balancers, as the last call left them', () => {
    const own = aPicture();
    const before = call(1, 1, {
      loadBalancers: new Map([
        ['lb-1', own],
        ['lb-2', aPicture({ id: 'lb-2', name: '', tags: {} })],
      ]),
    });
    const [, moment] = historyOf([stored(2)], [before, call(2, 3)]);
    assert.deepEqual(moment?.kind === 'stored' && moment.loadBalancers, [own]);
  });

  it('shows with a change of a Service the load balancer that it used before the change', () => {
    const named = withMetadata({
      annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id': USER_MANAGED.id },
    });
    const hers = aPicture({ ...USER_MANAGED, address: '47.0.0.9' });
    const calls = [call(1, 1, { loadBalancers: new Map([[USER_MANAGED.id, hers]]) })];
    const changes = [stored(2, { after: named }), stored(3), stored(4, { after: withMetadata({ uid: 'another' }) })];
    const found = historyOf(changes, calls).flatMap((moment) =>
      moment.kind === 'stored' ? [moment.loadBalancers.length] : [],
    );
    assert.deepEqual(found, [1, 1, 0]);
  });

  it('has no state of a cloud that was never observed', () => {
    const [moment] = historyOf([stored(2)], []);
    assert.equal(moment?.kind === 'stored' && moment.isUnseen, true);
  });

  const leaders: Readonly<Record<string, readonly [Audited, string]>> = {
    'a new leader when the Lease is acquired': [lease('b', ''), 'started, stored'],
    'a new leader when the Lease is created': [lease('b'), 'started, stored'],
    'no new leader when the Lease is renewed': [lease('b', 'b'), 'stored'],
    'no new leader when the Lease is released': [lease('', 'b'), 'stored'],
  };
  for (const [title, [audited, expected]] of Object.entries(leaders)) {
    it(`has ${title}`, () => assert.equal(kinds([audited], []), expected));
  }

  it('dates changes by the clock of the cloud, which may stop', () => {
    const calls = [call(1, 1, { cloudMs: 1_000 }), call(2, 500, { cloudMs: 1_010 })];
    const times = historyOf([stored(6), stored(400), stored(600)], calls).flatMap((moment) =>
      moment.kind === 'stored' ? [moment.atMs] : [],
    );
    assert.deepEqual(times, [1_005, 1_010, 1_110]);
  });
});
