/* The parts of the last response to a write that memory keeps. Without them, a reconcile on an old cache would miss the controller's own write. */
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

/** Returns the parts of a Service that the controller writes. Between reconciles, `ServiceStateCache` keeps only these parts of a large response. */
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

/** Returns the response to a write, which is newer than the cached Service. The cached Service supplies the parts that `ownParts` dropped. */
export function withOwnParts(cached: Service, response: Service): Service {
  if (response.spec !== undefined) return response;
  const labels = { ...ofUser(cached.metadata.labels ?? {}), ...response.metadata.labels };
  return { ...cached, metadata: { ...cached.metadata, ...response.metadata, labels }, status: response.status ?? {} };
}
