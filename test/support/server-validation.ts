import { PortcullisError } from '../../src/base/errors.ts';
import type { LoadBalancerBinding } from '../../src/inventory/binding.ts';
import type { KubernetesObject } from '../../src/base/kubernetes-objects.ts';

/** Throws for a write that the validation in the definition of bindings rejects. `KubernetesDouble` calls the functions of this file. */
export function assertSameLoadBalancer(before: KubernetesObject, after: KubernetesObject): void {
  const [was, is] = [before, after].map((each) => (each as LoadBalancerBinding).spec.loadBalancer?.id);
  if (was !== undefined && is !== undefined && was !== is)
    throw new PortcullisError('Rejected', 'the load balancer of a binding is immutable until the binding has none');
}

/** Throws for labels that the API server rejects. */
export function assertLabels({ metadata: { labels = {} } }: KubernetesObject): void {
  const [tooLong] = Object.keys(labels).filter((name) => (labels[name] ?? '').length > 63);
  if (tooLong !== undefined) throw new PortcullisError('Rejected', `${tooLong}: must be no more than 63 characters`);
}

/** The namespace whose UID identifies the cluster. */
export const KUBE_SYSTEM: KubernetesObject = {
  metadata: { name: 'kube-system', uid: 'the-cluster', resourceVersion: '1' },
};
