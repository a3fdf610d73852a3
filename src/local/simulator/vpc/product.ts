import type { SimulatedProduct } from '../operation.ts';
import { EIP_OPERATIONS } from './eip-operations.ts';
import { NETWORK_OPERATIONS } from './network-operations.ts';
import { ROUTE_BATCH_OPERATIONS } from './route-batch.ts';
import { ROUTE_ENTRY_OPERATIONS } from './route-entry-operations.ts';
import { ROUTE_TABLE_OPERATIONS } from './route-table-operations.ts';

/** The API of VPCs, vSwitches, route tables and EIPs. */
export const VPC: SimulatedProduct = {
  name: 'Vpc',
  version: '2016-04-28',
  operations: [
    ...NETWORK_OPERATIONS,
    ...ROUTE_TABLE_OPERATIONS,
    ...ROUTE_ENTRY_OPERATIONS,
    ...ROUTE_BATCH_OPERATIONS,
    ...EIP_OPERATIONS,
  ],
};
