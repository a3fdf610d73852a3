import { FINALIZER } from '../../../rules/engine/controller-metadata.ts';
import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { hasReason } from '../../../base/errors.ts';
import type { LoadBalancerBinding } from '../../../inventory/binding.ts';
import { objectKey, SERVICES, type Service } from '../../../base/kubernetes-objects.ts';
import { isPublished } from '../../../clb/model/provisioning-evidence.ts';
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

/** Returns whether to clean up the resources of a binding whose Service is not in the cache. */
export async function isToCleanUp(
  binding: LoadBalancerBinding,
  successor: Service | undefined,
  signal: AbortSignal,
  deps: Pick<ServiceDeps, 'bindings' | 'leadership' | 'writer'>,
): Promise<boolean> {
  const { bindings, leadership } = deps;
  // A started cleanup continues. A later Service with the same name waits for its end.
  const isBegun = isCleaningUp(recordIn(binding));
  const isSucceeded = !isBegun && successor !== undefined && mayBeServed(successor, bindings);
  const uid = binding.metadata.name;
  const isForeign = await bindings.isOfOtherCluster(binding, signal);
  if (!isForeign) {
    if (!(await hasVanished(binding, signal, deps))) return false;
    if (!leadership.isOutdated(uid) && !isSucceeded) return true;
    // Another Service may use the resources, or the binding is outdated.
    await bindings.orphan(binding, signal);
  }
  leadership.confirm(uid);
  return false;
}

/** Returns a Service with the fields that the cleanup of a vanished Service needs. */
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
