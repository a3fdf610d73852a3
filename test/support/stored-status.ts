import { SERVICES, type KubernetesObject, type Service } from '../../src/base/kubernetes-objects.ts';

/** Returns an object as the API server stores it: the status of a Service keeps its load balancer only with type LoadBalancer. */
export function asStored<Kind extends KubernetesObject>(plural: string, object: Kind): Kind {
  const { spec, status } = object as Service;
  const isEmptied = plural === SERVICES.plural && spec?.type !== 'LoadBalancer' && status?.loadBalancer !== undefined;
  return isEmptied ? { ...object, status: { ...status, loadBalancer: {} } } : object;
}
