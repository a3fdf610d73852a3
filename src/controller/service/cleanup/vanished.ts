import { FINALIZER } from '../../../rules/engine/controller-metadata.ts';
import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { hasReason } from '../../../base/errors.ts';
import type { LoadBalancerBinding } from '../../../inventory/binding.ts';
import { objectKey, SERVICES, type Service } from '../../../base/objects.ts';
import { isPublished } from '../../../clb/model/service-status.ts';
import { boundIn, isCleaningUp, recordIn } from '../state/binding-record.ts';
import type { BindingReader } from '../state/binding-store.ts';
import type { ServiceDeps } from '../context.ts';

/** Returns whether the Service of a binding no longer exists, by a read from the API server. */
async function hasVanished(
  binding: LoadBalancerBinding,
  signal: AbortSignal,
  { writer }: Pick<ServiceDeps, 'writer'>,
): Promise<boolean> {
  const { namespace, name } = binding.spec.service;
  try {
    const { metadata } = await writer.get(SERVICES, objectKey(name, namespace), signal);
    return metadata.uid !== binding.metadata.name;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return true;
    throw error;
  }
}

const mayBeServed = (service: Service, bindings: BindingReader): boolean =>
  boundIn(bindings.recordOf(service)) !== undefined || isPublished(service);

/**
 * Returns whether to clean up from the binding of a Service that is not in the cache. Another cluster's binding proves nothing. What the binding
 * records may be another Service's by now, if another controller has led, or if a later Service of the name may be served: it becomes an orphan.
 */
export async function isToCleanUp(
  binding: LoadBalancerBinding,
  successor: Service | undefined,
  signal: AbortSignal,
  deps: Pick<ServiceDeps, 'bindings' | 'leadership' | 'writer'>,
): Promise<boolean> {
  const { bindings, leadership } = deps;
  // A cleanup that has begun continues: the later Service waits for the end.
  const isBegun = isCleaningUp(recordIn(binding));
  const isSucceeded = !isBegun && successor !== undefined && mayBeServed(successor, bindings);
  const uid = binding.metadata.name;
  const isForeign = await bindings.isOfOtherCluster(binding, signal);
  if (!isForeign) {
    if (!(await hasVanished(binding, signal, deps))) return false;
    if (!leadership.isOutdated(uid) && !isSucceeded) return true;
    await bindings.orphan(binding, signal);
  }
  leadership.confirm(uid);
  return false;
}

/** Returns what cleanup needs to know of a Service that vanished. */
export const vanishedService = ({ metadata, spec: { service, preserveOnDelete } }: LoadBalancerBinding): Service => ({
  metadata: {
    name: service.name,
    namespace: service.namespace,
    uid: metadata.name,
    resourceVersion: '',
    finalizers: [FINALIZER],
    annotations: preserveOnDelete === true ? { [CATALOGUE.preserveLbOnDelete.key]: 'true' } : {},
  },
  spec: { type: 'ClusterIP' },
});
