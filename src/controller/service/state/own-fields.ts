import { isUserLabel } from '../../../clb/model/service-size.ts';
import { hasFinalizer } from '../../../clb/model/service-status.ts';
import { keptStatus } from '../../../inventory/kept-status.ts';
import type { Service } from '../../../base/objects.ts';
import { FINALIZER } from '../../../rules/engine/controller-metadata.ts';

type Labels = Readonly<Record<string, string>>;

const ofUser = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([label]) => isUserLabel(label)));
const ownLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([label]) => !isUserLabel(label)));

/** Returns the parts of a Service that the controller writes, and by which it is known. They have no spec. */
export function ownParts(service: Service): Service {
  const { name, namespace, uid, resourceVersion, labels = {} } = service.metadata;
  return {
    metadata: {
      ...{ name, namespace, uid, resourceVersion },
      labels: ownLabels(labels),
      finalizers: hasFinalizer(service) ? [FINALIZER] : [],
    },
    status: keptStatus(service.status ?? {}),
  };
}

/** Returns the Service of a cache as a later answer of the API server leaves it. The answer is whole, or has the own parts only. */
export function withOwnParts(cached: Service, answer: Service): Service {
  if (answer.spec !== undefined) return answer;
  const labels = { ...ofUser(cached.metadata.labels ?? {}), ...answer.metadata.labels };
  return { ...cached, metadata: { ...cached.metadata, ...answer.metadata, labels }, status: answer.status ?? {} };
}
