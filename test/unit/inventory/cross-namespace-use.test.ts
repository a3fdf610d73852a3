import assert from 'node:assert/strict';
import { createFacts } from '../../../src/inventory/facts-from-caches.ts';
import { OWNER_INDEX } from '../../../src/inventory/load-balancers-by-owner.ts';
import type { ClassicLoadBalancer, ListenerStatus } from '../../../src/inventory/custom-resources.ts';
import { REUSE_INDEX } from '../../../src/inventory/reuse-index.ts';
import { fileFacts } from '../../../src/lint/inventory-facts.ts';
import type { Facts } from '../../../src/inventory/facts.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';
import { aService, type ServiceInput } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { watchedDouble } from '../../support/watched-cache.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id';
const naming = (namespace: string, id: string, input: ServiceInput = {}): Service =>
  aService({ namespace, annotations: { [KEY]: id }, ...input });
const listening = (service?: string): ClassicLoadBalancer => {
  const listener: ListenerStatus = { port: 80, protocol: 'tcp', ...(service === undefined ? {} : { service }) };
  return aClb('lb-1', { listeners: [listener] });
};

interface Row {
  readonly services?: readonly Service[];
  readonly clb?: ClassicLoadBalancer;
  readonly user: string | undefined;
}
const ROWS: Readonly<Record<string, Row>> = {
  'no Service if none exists': { user: undefined },
  'a Service that names the load balancer': { services: [naming('bank', 'lb-1')], user: 'bank/web' },
  'a Service without ports that names the load balancer': {
    services: [naming('bank', 'lb-1', { ports: [] })],
    user: 'bank/web',
  },
  'no Service of the own namespace': { services: [naming('shop', 'lb-1')], user: undefined },
  'no Service that names another load balancer': { services: [naming('bank', 'lb-2')], user: undefined },
  'no Service of another type': { services: [naming('bank', 'lb-1', { type: 'ClusterIP' })], user: undefined },
  'a Service that has a listener on the load balancer': { clb: listening('bank/pay'), user: 'bank/pay' },
  'no Service of the own namespace with a listener': { clb: listening('shop/api'), user: undefined },
  "no Service for a user's listener": { clb: listening(), user: undefined },
};

const SOURCES: Readonly<Record<string, (row: Row) => Facts>> = {
  'the caches': ({ services = [], clb }) =>
    createFacts({
      classicLoadBalancers: watchedDouble(clb === undefined ? [] : [clb], OWNER_INDEX),
      cloudInventories: watchedDouble([aCloudInventory()]),
      services: watchedDouble([...services], REUSE_INDEX),
      clock: new VirtualClock(),
    }),
  'a file': ({ services = [], clb }) => {
    const inventory = { ...aCloudInventory(), kind: 'CloudInventory' };
    const items = [inventory, ...services, ...(clb === undefined ? [] : [clb])];
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    return fileFacts({ name: 'facts.json', text }, new VirtualClock());
  },
};

/** A Service of another namespace limits what a Service may change on a shared load balancer. */
for (const [source, factsOf] of Object.entries(SOURCES)) {
  describe(`the Service of another namespace that uses a load balancer, from ${source}, is`, () => {
    for (const [what, row] of Object.entries(ROWS)) {
      it(what, () => assert.equal(factsOf(row).sharedWith('lb-1', 'shop'), row.user));
    }
  });
}
