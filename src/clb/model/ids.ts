import type { Brand } from '../../brand.ts';

/** The id of a load balancer. Each kind of id has its own type, so that the compiler rejects an id of another kind. */
export type LoadBalancerId = Brand<string, 'LoadBalancerId'>;
export type VServerGroupId = Brand<string, 'VServerGroupId'>;
export type DomainExtensionId = Brand<string, 'DomainExtensionId'>;
/** The id of an ECS instance (`i-…`) or an elastic network interface (`eni-…`). */
export type ServerId = Brand<string, 'ServerId'>;
