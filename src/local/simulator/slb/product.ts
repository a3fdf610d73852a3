import type { SimulatedProduct } from '../operation.ts';
import { ACL_OPERATIONS } from './acl-operations.ts';
import { CERTIFICATE_OPERATIONS } from './certificate-operations.ts';
import { CREATE_LOAD_BALANCER } from './create-load-balancer.ts';
import { DESCRIBE_LOAD_BALANCERS } from './describe-load-balancers.ts';
import { DOMAIN_EXTENSION_OPERATIONS } from './domain-extension-operations.ts';
import { LISTENER_READS } from './describe-listeners.ts';
import { LISTENER_WRITES } from './listener-operations.ts';
import { LOAD_BALANCER_WRITES } from './load-balancer-operations.ts';
import { SERVER_GROUP_OPERATIONS } from './server-group-operations.ts';
import { TAG_OPERATIONS } from './tag-operations.ts';

/** The API of Classic Load Balancers. */
export const SLB: SimulatedProduct = {
  name: 'Slb',
  version: '2014-05-15',
  operations: [
    CREATE_LOAD_BALANCER,
    ...DESCRIBE_LOAD_BALANCERS,
    ...LOAD_BALANCER_WRITES,
    ...TAG_OPERATIONS,
    ...SERVER_GROUP_OPERATIONS,
    ...LISTENER_WRITES,
    ...LISTENER_READS,
    ...ACL_OPERATIONS,
    ...CERTIFICATE_OPERATIONS,
    ...DOMAIN_EXTENSION_OPERATIONS,
  ],
};
