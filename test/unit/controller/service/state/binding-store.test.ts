import assert from 'node:assert/strict';
import type { BindingRecord } from '../../../../../src/controller/service/state/binding-record.ts';
import { BindingStore, recordsIn } from '../../../../../src/controller/service/state/binding-store.ts';
import { BINDING_INDEX, type KubernetesWriter } from '../../../../../src/controller/kubernetes-interface.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../../../../src/inventory/binding.ts';
import { keyOf, objectKey } from '../../../../../src/base/kubernetes-objects.ts';
import { bindingStoreBench } from '../../../../support/binding-store-fixture.ts';
import { aBinding, SYNCED, SYNCING } from '../../../../support/invariants/history-builders.ts';
import { aService } from '../../../../support/service.ts';
import { watchedDouble } from '../../../../support/watched-cache.ts';

const { signal } = new AbortController();
const service = aService();
const { uid } = service.metadata;
const KEY = objectKey(uid);
const PATH = keyOf(service);
const OWNED = { loadBalancer: { id: 'lb-1', use: 'owned' } } as const;

/** The cache lags behind the writes of the store, so an older copy must not hide the latest record. */
describe('the binding store', () => {
  it('creates a binding with the Service and the cluster, and excludes it from backups', async () => {
    const { write, stored } = bindingStoreBench();
    await write({ ...OWNED, ...SYNCING });
    assert.deepEqual(stored()?.metadata.labels, { 'velero.io/exclude-from-backup': 'true' });
    assert.equal(stored()?.metadata.name, uid);
    assert.deepEqual(stored()?.spec, {
      service: { namespace: 'shop', name: 'web' },
      clusterUID: 'the-cluster',
      ...OWNED,
      ...SYNCING,
    });
  });

  it('returns the record without the Service and the cluster', async () => {
    const { write, record } = bindingStoreBench();
    assert.deepEqual(record(), {});
    await write({ ...OWNED, ...SYNCED });
    assert.deepEqual(record(), { ...OWNED, ...SYNCED });
    const cache = watchedDouble([aBinding(SYNCED)]);
    assert.deepEqual(recordsIn(cache).recordOf(service), SYNCED);
    assert.deepEqual(recordsIn(watchedDouble<LoadBalancerBinding>()).recordOf(service), {});
  });

  it('patches changed fields, removes deleted fields, and locks the patch to the read version', async () => {
    const { write, cluster, stored } = bindingStoreBench();
    await write({ ...OWNED, ...SYNCING });
    const { uid: bindingUid, resourceVersion } = stored()?.metadata ?? assert.fail();
    await write({ loadBalancer: { ...OWNED.loadBalancer, address: '47.0.0.1' }, ...SYNCED });
    assert.deepEqual(cluster.writes.at(-1)?.patch, {
      metadata: { resourceVersion, uid: bindingUid },
      spec: { loadBalancer: { address: '47.0.0.1' }, operation: null, syncedDigest: 'd' },
    });
  });

  it('deletes exactly the binding that was read, and nothing without a binding', async () => {
    const { write, remove, cluster, stored } = bindingStoreBench();
    await remove();
    await write(SYNCED);
    await remove();
    assert.equal(stored(), undefined);
    assert.deepEqual(
      cluster.writes.map(({ verb }) => verb),
      ['create', 'delete'],
    );
  });
});

describe('an older copy in the cache', () => {
  it('never replaces a write of the store', async () => {
    const { cluster, write, record, records } = bindingStoreBench();
    cluster.pause();
    await write(SYNCING);
    await write({ ...SYNCING, ...OWNED });
    await write(SYNCED);
    assert.deepEqual(record(), SYNCED);
    cluster.release();
    assert.deepEqual(records, [SYNCED, SYNCED, SYNCED]);
  });

  it('is replaced by a later change of another writer', async () => {
    const { cluster, write, patch, records } = bindingStoreBench();
    cluster.pause();
    await write(SYNCING);
    patch({ syncedDigest: 'e' });
    cluster.release();
    assert.deepEqual(records.at(-1), { ...SYNCING, syncedDigest: 'e' });
  });

  it('does not restore a binding that the store deleted', async () => {
    const { cluster, write, remove, record, records } = bindingStoreBench();
    cluster.pause();
    await write(SYNCING);
    await remove();
    assert.deepEqual(record(), {});
    cluster.release();
    assert.deepEqual(records, [{}, {}]);
  });

  it('does not hide a binding that is created again', async () => {
    const { cluster, write, remove, record, records } = bindingStoreBench();
    await write(SYNCING);
    cluster.pause();
    await remove();
    await write(SYNCED);
    assert.deepEqual(record(), SYNCED);
    cluster.release();
    assert.deepEqual(records.slice(1), [SYNCED, SYNCED]);
  });
});

/** Versions are numbers: a comparison of texts would take version 9 for later than version 11, which the store wrote. */
describe('a copy in the cache', () => {
  const VERSIONS: Readonly<Record<string, readonly [cached: string, isOlder: boolean]>> = {
    'is older if its version is a smaller number with fewer digits': ['9', true],
    'is older if its version is a smaller number with as many digits': ['10', true],
    'is not older if it has the version of the write': ['11', false],
    'is not older if its version is a larger number': ['100', false],
  };
  for (const [title, [version, isOlder]] of Object.entries(VERSIONS))
    it(title, async () => {
      const at = (resourceVersion: string, record: BindingRecord): LoadBalancerBinding => {
        const binding = aBinding(record);
        return { ...binding, metadata: { ...binding.metadata, resourceVersion } };
      };
      const bindings = watchedDouble([at('8', {})], BINDING_INDEX);
      const writer = { mergePatch: async () => at('11', SYNCED) } as unknown as KubernetesWriter;
      const store = new BindingStore({ bindings, writer });
      await store.write(service, SYNCED, signal);
      bindings.put(at(version, SYNCING));
      assert.deepEqual(store.recordOf(service), isOlder ? SYNCED : SYNCING);
    });
});

describe('a binding that another writer deleted', () => {
  it('disappears with the watch event', async () => {
    const { write, drop, record } = bindingStoreBench();
    await write(SYNCED);
    drop();
    assert.deepEqual(record(), {});
  });

  it('is created again after one failed write, even before the watch event', async () => {
    const { cluster, write, drop, record, stored } = bindingStoreBench();
    await write(SYNCED);
    cluster.pause();
    drop();
    await assert.rejects(write(SYNCING), { reason: 'NotFound' });
    assert.deepEqual(record(), {});
    await write(SYNCING);
    assert.deepEqual(stored()?.spec.operation, SYNCING.operation);
  });

  it('disappears if the cache drops it, even if the cache never received the last write', async () => {
    const bindings = watchedDouble([aBinding(SYNCING)], BINDING_INDEX);
    const later = { ...aBinding(SYNCED), metadata: { ...aBinding().metadata, resourceVersion: '2' } };
    const writer = { mergePatch: async () => later } as unknown as KubernetesWriter;
    const store = new BindingStore({ bindings, writer });
    await store.write(service, SYNCED, signal);
    bindings.remove(KEY);
    assert.deepEqual(store.recordOf(service), {});
  });

  it('can be deleted again without an error', async () => {
    const { cluster, write, drop, remove, record } = bindingStoreBench();
    await write(SYNCED);
    cluster.pause();
    drop();
    await remove();
    assert.deepEqual(record(), {});
  });
});

/** Failed writes of the store: another client wrote between the store's read and its write, or the API server rejects the write. */
const CONFLICTS: Readonly<
  Record<
    string,
    readonly [act: (b: ReturnType<typeof bindingStoreBench>) => Promise<unknown>, reason: string, known: BindingRecord]
  >
> = {
  'a patch': [
    async ({ cluster, write, patch }) => {
      await write(SYNCING);
      cluster.pause();
      patch({ syncedDigest: 'e' });
      return write(SYNCED);
    },
    'Conflict',
    { ...SYNCING, syncedDigest: 'e' },
  ],
  'a creation of an existing binding': [
    async ({ cluster, write }) => {
      cluster.pause();
      cluster.put(LOAD_BALANCER_BINDINGS, aBinding({ syncedDigest: 'e' }));
      return write(SYNCED);
    },
    'Conflict',
    { syncedDigest: 'e' },
  ],
  'a deletion': [
    async ({ cluster, write, patch, remove }) => {
      await write(SYNCING);
      cluster.pause();
      patch({ syncedDigest: 'e' });
      return remove();
    },
    'Conflict',
    { ...SYNCING, syncedDigest: 'e' },
  ],
  'a rejected change of the load balancer': [
    async ({ write }) => {
      await write(OWNED);
      return write({ loadBalancer: { id: 'lb-2', use: 'owned' } });
    },
    'Rejected',
    OWNED,
  ],
};

describe('the store, after a failed write,', () => {
  for (const [title, [act, reason, known]] of Object.entries(CONFLICTS))
    it(`reads the binding, and starts the next write from the binding that it read: ${title}`, async () => {
      const subject = bindingStoreBench();
      await assert.rejects(act(subject), { reason });
      assert.deepEqual(subject.record(), known);
      await subject.write({ ...known, ...SYNCED });
      assert.deepEqual(subject.record(), { ...known, ...SYNCED });
    });
});

describe('bindings of Services that had the same name', () => {
  it('are listed without the binding of the current Service', async () => {
    const { cluster, store, write } = bindingStoreBench();
    await write(SYNCED);
    cluster.put(LOAD_BALANCER_BINDINGS, aBinding(SYNCING, 'an-earlier-uid'));
    const names = (of?: string) => store.ofPredecessors(PATH, of).map(({ metadata }) => metadata.name);
    assert.deepEqual(names(uid), ['an-earlier-uid']);
    assert.deepEqual(names(), [uid, 'an-earlier-uid']);
    assert.deepEqual(store.ofPredecessors(objectKey('web', 'elsewhere'), uid), []);
  });

  it('are listed as last written, until they are deleted', async () => {
    const { cluster, store, write, remove } = bindingStoreBench();
    await write(SYNCING);
    cluster.pause();
    await write(SYNCED);
    assert.deepEqual(
      store.ofPredecessors(PATH, undefined).map(({ spec }) => spec.syncedDigest),
      ['d'],
    );
    await remove();
    assert.deepEqual(store.ofPredecessors(PATH, undefined), []);
  });
});

describe('a binding of another cluster', () => {
  it('is recognized by the UID of the namespace kube-system', async () => {
    const { store } = bindingStoreBench();
    const own = aBinding(SYNCED);
    assert.equal(await store.isOfOtherCluster(own, signal), false);
    assert.equal(await store.isOfOtherCluster({ ...own, spec: { ...own.spec, clusterUID: 'other' } }, signal), true);
  });
});

describe('the source of bindings', () => {
  it('has each write at once, before the cache does', async () => {
    const { cluster, store, write, remove } = bindingStoreBench();
    const records: (string | undefined)[] = [];
    store.onChange((key) => records.push(store.get(key)?.spec.syncedDigest));
    await write(SYNCING);
    cluster.pause();
    await write(SYNCED);
    assert.deepEqual([[...store.keys()], records.at(-1)], [[KEY], 'd']);
    await remove();
    assert.deepEqual([store.get(KEY), records.at(-1)], [undefined, undefined]);
  });

  it('excludes a binding of another cluster when the own cluster is known', async () => {
    const { cluster, store, write } = bindingStoreBench();
    const { spec, ...binding } = aBinding(SYNCED, 'foreign');
    cluster.put(LOAD_BALANCER_BINDINGS, { ...binding, spec: { ...spec, clusterUID: 'other' } });
    const foreign = objectKey('foreign');
    const records: string[] = [];
    store.onChange((key) => records.push(key));
    assert.notEqual(store.get(foreign), undefined);
    await write(SYNCING);
    assert.deepEqual([store.get(foreign), records.includes(foreign)], [undefined, true]);
  });
});
