import { isUserLabel } from '../../../clb/model/service-size-limits.ts';
import { hasFinalizer } from '../../../clb/model/provisioning-evidence.ts';
import { trimServiceStatus } from '../../../inventory/trimmed-service-status.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import { FINALIZER } from '../../../rules/engine/controller-metadata.ts';

type Labels = Readonly<Record<string, string>>;

const ofUser = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([label]) => isUserLabel(label)));
const ownLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([label]) => !isUserLabel(label)));

/** Returns the parts of a Service that the controller writes. Memory keeps only these parts of a large Service. */
export function ownParts(service: Service): Service {
  const { name, namespace, uid, resourceVersion, labels = {} } = service.metadata;
  return {
    metadata: {
      ...{ name, namespace, uid, resourceVersion },
      labels: ownLabels(labels),
      finalizers: hasFinalizer(service) ? [FINALIZER] : [],
    },
    status: trimServiceStatus(service.status ?? {}),
  };
}

/** Returns the cached Service with the response to a later write. The response is complete or the result of `ownParts`. */
export function withOwnParts(cached: Service, response: Service): Service {
  if (response.spec !== undefined) return response;
  const labels = { ...ofUser(cached.metadata.labels ?? {}), ...response.metadata.labels };
  return { ...cached, metadata: { ...cached.metadata, ...response.metadata, labels }, status: response.status ?? {} };
}
