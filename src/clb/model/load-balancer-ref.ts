import type { Options } from '../../annotation/catalogue.ts';
import type { LoadBalancerId } from './ids.ts';
import type { Use } from './state.ts';

/** The reference to the owned load balancer, which the owner tag identifies. */
export const OWN = 'own';

/**
 * A reference to the load balancer of a Service: the id if the load balancer is reused, otherwise `OWN`. The controller needs a reference before an
 * owned load balancer has an id.
 */
export type LoadBalancerRef = LoadBalancerId | typeof OWN;

/** Returns the reference that the annotation `id` requests. */
export const requestedRef = ({ id }: Pick<Options, 'id'>): LoadBalancerRef => (id as LoadBalancerId | undefined) ?? OWN;

export const refOf = (use: Use): LoadBalancerRef => (use.kind === 'owned' ? OWN : use.id);
