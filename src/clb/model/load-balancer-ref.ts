import type { Options } from '../../annotation/catalogue.ts';
import type { LoadBalancerId } from './ids.ts';
import type { Use } from './state.ts';

/** The load balancer that was created for the Service. Its tag identifies it. */
export const OWN = 'own';

/** A load balancer as a Service refers to it. */
export type LoadBalancerRef = LoadBalancerId | typeof OWN;

/** Returns the load balancer that the annotation `id` requests. */
export const requestedRef = ({ id }: Pick<Options, 'id'>): LoadBalancerRef => (id as LoadBalancerId | undefined) ?? OWN;

export const refOf = (use: Use): LoadBalancerRef => (use.kind === 'owned' ? OWN : use.id);
