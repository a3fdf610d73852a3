import type { SimulatedProduct } from '../operation.ts';
import { INSTANCE_OPERATIONS } from './instance-operations.ts';
import { NETWORK_INTERFACE_OPERATIONS } from './network-interface-operations.ts';

/** The API of instances and network interfaces. */
export const ECS: SimulatedProduct = {
  name: 'Ecs',
  version: '2014-05-26',
  operations: [...INSTANCE_OPERATIONS, ...NETWORK_INTERFACE_OPERATIONS],
};
