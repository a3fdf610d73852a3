import { isManagedService } from '../controller/service/management.ts';
import { PortcullisError } from '../base/errors.ts';
import { nearest } from '../base/spelling-suggestion.ts';
import { keyOf, objectKey, type Service } from '../base/kubernetes-objects.ts';
import { controllerSelectors } from '../rules/engine/subject.ts';
import { preparePlanning, type PlanRequest } from './plan-dependencies.ts';
import { planService, type ServicePlan } from './service-plan.ts';

/** A stored Service with its plan. */
export interface StoredServicePlan extends ServicePlan {
  readonly object: Service;
}

/** Returns a hint for a Service that does not exist: other namespaces with the name, or a similar name. */
function hintFor(name: string, namespace: string, services: readonly Service[]): string {
  const namespaces = services
    .filter(({ metadata }) => metadata.name === name)
    .map(({ metadata }) => metadata.namespace);
  if (namespaces.length > 0)
    return `; a Service of this name exists in ${namespaces.sort().slice(0, 5).join(', ')}: select the namespace with -n`;
  const others = services.filter(({ metadata }) => metadata.namespace === namespace);
  const near = nearest(
    name,
    others.map(({ metadata }) => metadata.name),
  );
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** Returns the reason why Portcullis manages no load balancer for a Service. */
function whyUnmanaged(service: Service): string {
  if (service.spec?.type !== 'LoadBalancer') return `its type is ${service.spec?.type ?? 'ClusterIP'}`;
  const selectors = controllerSelectors(service).map(({ field, value }) => `${field} ${JSON.stringify(value)}`);
  return `${selectors.join(' and ')} selects another controller`;
}

/** Returns the Service with a name. Throws if the Service does not exist, or if Portcullis manages no load balancer for the Service. */
export function managedService(name: string, namespace: string, services: readonly Service[]): Service {
  const key = objectKey(name, namespace);
  const service = services.find((each) => keyOf(each) === key);
  if (service === undefined)
    throw new PortcullisError('NotFound', `Service ${key} does not exist${hintFor(name, namespace, services)}`);
  if (isManagedService(service)) return service;
  throw new PortcullisError('Invalid', `Service ${key} has no load balancer of Portcullis: ${whyUnmanaged(service)}`);
}

/**
 * Returns the plan for a stored Service, for `portcullis graph`. Changes nothing. Rejects with a `PortcullisError` if the Service is absent or not
 * managed.
 */
export async function planStored(request: PlanRequest, name: string): Promise<StoredServicePlan> {
  const { caches, deps, namespace } = await preparePlanning(request);
  const object = managedService(name, namespace, [...caches.services.values()]);
  return { object, ...(await planService(object, deps, request.signal)) };
}
