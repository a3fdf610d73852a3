import { FINALIZER } from '../../../../webhook/rules/engine/marks.ts';
import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { hasReason } from '../../../errors.ts';
import type { LoadBalancerBinding } from '../../../inventory/binding.ts';
import { objectKey, SERVICES, type Service } from '../../../objects.ts';
import type { ServiceDeps } from '../turn.ts';

/** Returns whether the Service of a binding no longer exists, by a read from the API server. A binding of another cluster proves nothing. */
export async function hasVanished(
  binding: LoadBalancerBinding,
  signal: AbortSignal,
  { bindings, writer }: Pick<ServiceDeps, 'bindings' | 'writer'>,
): Promise<boolean> {
  if (await bindings.isOfOtherCluster(binding, signal)) return false;
  const { namespace, name } = binding.spec.service;
  try {
    const { metadata } = await writer.get(SERVICES, objectKey(name, namespace), signal);
    return metadata.uid !== binding.metadata.name;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return true;
    throw error;
  }
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
