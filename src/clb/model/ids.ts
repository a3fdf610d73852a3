import type { Brand } from '../../brand.ts';

export type LoadBalancerId = Brand<string, 'LoadBalancerId'>;
export type VServerGroupId = Brand<string, 'VServerGroupId'>;
export type DomainExtensionId = Brand<string, 'DomainExtensionId'>;
/** An ECS instance (`i-…`) or an elastic network interface (`eni-…`). */
export type ServerId = Brand<string, 'ServerId'>;
