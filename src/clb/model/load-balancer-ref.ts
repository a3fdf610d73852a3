import type { Options } from '../../annotation/catalogue.ts';
import type { LoadBalancerId } from './ids.ts';
import type { Use } from './desired-and-observed-state.ts';

/** The reference to the owned load balancer, which the owner tag identifies. */
export const OWN = 'own';

/** The id of a reused load balancer, or `OWN`: an owned load balancer has no id before its creation. */
export type LoadBalancerRef = LoadBalancerId | typeof OWN;

/** Returns the reference that the annotation `id` requests. */
export const requestedRef = ({ id }: Pick<Options, 'id'>): LoadBalancerRef => (id as LoadBalancerId | undefined) ?? OWN;

export const refOf = (use: Use): LoadBalancerRef => (use.kind === 'owned' ? OWN : use.id);
