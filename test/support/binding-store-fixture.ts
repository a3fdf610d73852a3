import type { BindingRecord } from '../../src/controller/service/state/binding-record.ts';
import { BindingStore } from '../../src/controller/service/state/binding-store.ts';
import { LOAD_BALANCER_BINDINGS } from '../../src/inventory/binding.ts';
import { objectKey } from '../../src/base/kubernetes-objects.ts';
import { KubernetesDouble, type WriteHook } from './kubernetes-double.ts';
import { aService } from './service.ts';

const { signal } = new AbortController();
const service = aService();
const { uid } = service.metadata;
const KEY = objectKey(uid);

/** Creates a binding store for unit tests, in a cluster with `aService()`. Calls `hook` before and after each write of the store. */
export function bindingStoreBench(hook?: WriteHook) {
  const cluster = new KubernetesDouble();
  const client = cluster.connect(hook);
  const store = new BindingStore({ bindings: client.bindings, writer: client.writer });
  /** The records of the binding after each change of the cache. */
  const records: BindingRecord[] = [];
  client.bindings.onChange(() => records.push(store.recordOf(service)));
  const write = (record: BindingRecord) => store.write(service, record, signal);
  return {
    cluster,
    store,
    records,
    write,
    record: () => store.recordOf(service),
    stored: () => cluster.get(LOAD_BALANCER_BINDINGS, KEY),
    /** Patches the binding as another writer. */
    patch: (spec: object) => cluster.patch(LOAD_BALANCER_BINDINGS, KEY, { spec }),
    drop: () => cluster.delete(LOAD_BALANCER_BINDINGS, KEY),
    remove: () => store.remove(uid, signal),
  };
}
