import { SERVICES, type KubernetesObject, type Service } from '../../src/base/objects.ts';

/** What the API server makes of a write: the status of a Service tells of a load balancer for as long as it is of that type. */
export function asStored<Kind extends KubernetesObject>(plural: string, object: Kind): Kind {
  const { spec, status } = object as Service;
  const isEmptied = plural === SERVICES.plural && spec?.type !== 'LoadBalancer' && status?.loadBalancer !== undefined;
  return isEmptied ? { ...object, status: { ...status, loadBalancer: {} } } : object;
}
