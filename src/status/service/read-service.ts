import { PortcullisError } from '../../base/errors.ts';
import { EVENTS, objectKey, SERVICES, type ObjectKey } from '../../base/kubernetes-objects.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../inventory/binding.ts';
import { CLASSIC_LOAD_BALANCERS, type ClassicLoadBalancer } from '../../inventory/custom-resources.ts';
import { isUnread, valueOf, whyUnread, type Attempt } from '../read-result.ts';
import { find, list, type StatusRequest } from '../read-cluster.ts';
import type { ServiceFacts } from './facts.ts';

/** Reads the facts of `portcullis status service`: the Service, its binding, load balancer and events. */
export async function readService(request: StatusRequest, key: ObjectKey): Promise<ServiceFacts> {
  const read = await find(request, SERVICES, key);
  if (read.kind === 'failed') throw read.error;
  if (isUnread(read)) throw new PortcullisError('Forbidden', whyUnread(read));
  if (read.kind === 'absent') throw new PortcullisError('NotFound', `there is no Service ${key}`);
  const { value: service } = read;
  const { uid, namespace } = service.metadata;
  const [binding, events] = await Promise.all([
    find(request, LOAD_BALANCER_BINDINGS, objectKey(uid)),
    list(request, EVENTS, { fieldSelector: `involvedObject.uid=${uid}` }, namespace),
  ]);
  const loadBalancer = await readLoadBalancer(request, binding);
  return { now: request.clock.now(), key, service, binding, loadBalancer, events };
}

const readLoadBalancer = async (
  request: StatusRequest,
  binding: Attempt<LoadBalancerBinding>,
): Promise<Attempt<ClassicLoadBalancer>> => {
  const id = valueOf(binding)?.spec.loadBalancer?.id;
  return id === undefined ? { kind: 'absent' } : find(request, CLASSIC_LOAD_BALANCERS, objectKey(id));
};
