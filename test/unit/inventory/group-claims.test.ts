import assert from 'node:assert/strict';
import { ClaimedGroups, groupClaims } from '../../../src/inventory/group-claims.ts';
import { REUSE_INDEX } from '../../../src/inventory/reuse-index.ts';
import { oldestClaim, type GroupClaim } from '../../../src/clb/guards/foreign-groups.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { aService } from '../../support/service.ts';
import { watchedDouble } from '../../support/watched-cache.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

const naming = (namespace: string, groups: string, metadata: object = {}): Service => {
  const annotations = { [`${KEY}id`]: 'lb-1', [`${KEY}vgroup-port`]: groups };
  const service = aService({ namespace, annotations, uid: namespace });
  return { ...service, metadata: { ...service.metadata, ...metadata } };
};
const createdAt = (minute: number) => ({ creationTimestamp: `2026-01-01T00:0${minute}:00Z` });

type Claims = (id: string, group: string) => readonly GroupClaim[];

const SOURCES: Readonly<Record<string, (services: readonly Service[]) => Claims>> = {
  'of a cache': (services) => {
    const cache = watchedDouble(services, REUSE_INDEX);
    return (id, group) => groupClaims(cache, id, group);
  },
  'of manifests': (services) => {
    const claimed = new ClaimedGroups();
    for (const service of services) claimed.add(service);
    return (id, group) => claimed.on(id, group);
  },
};

/** The oldest claim decides which namespace may use a server group. */
for (const [source, claimsOf] of Object.entries(SOURCES)) {
  describe(`the claims ${source} on a server group`, () => {
    const namespaces = (services: readonly Service[], id: string, group: string) =>
      claimsOf(services)(id, group).map(({ namespace }) => namespace);

    it('belong to the Services that name it, each once', () => {
      const services = [naming('bank', 'rsp-1:80,rsp-1:443,rsp-2:53'), naming('shop', 'rsp-2:80')];
      assert.deepEqual(namespaces(services, 'lb-1', 'rsp-1'), ['bank']);
      assert.deepEqual(namespaces(services, 'lb-1', 'rsp-2'), ['bank', 'shop']);
      assert.deepEqual(namespaces(services, 'lb-2', 'rsp-1'), []);
    });

    it('exclude a Service that is being deleted', () => {
      assert.deepEqual(namespaces([naming('bank', 'rsp-1:80', { deletionTimestamp: 'now' })], 'lb-1', 'rsp-1'), []);
    });
  });
}

describe('the Services of manifests', () => {
  it('count as younger than stored Services, until the stored claim is removed', () => {
    const claimed = new ClaimedGroups();
    const oldest = () => oldestClaim(claimed.on('lb-1', 'rsp-1'))?.namespace;
    claimed.add(naming('bank', 'rsp-1:80'));
    claimed.add(naming('shop', 'rsp-1:80', createdAt(1)));
    assert.equal(oldest(), 'shop');
    claimed.add(naming('shop', 'rsp-2:80'));
    assert.equal(oldest(), 'bank');
  });

  it('keep the age of the Service that they replace', () => {
    const claimed = new ClaimedGroups();
    for (const [namespace, minute] of [
      ['bank', 1],
      ['shop', 2],
    ] as const)
      claimed.add(naming(namespace, 'rsp-1:80', createdAt(minute)));
    claimed.add(naming('shop', 'rsp-1:443'));
    claimed.add(naming('bank', 'rsp-1:443'));
    assert.equal(oldestClaim(claimed.on('lb-1', 'rsp-1'))?.namespace, 'bank');
  });
});
