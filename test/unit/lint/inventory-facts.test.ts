import assert from 'node:assert/strict';
import { createFacts } from '../../../src/inventory/facts-from-caches.ts';
import { listenerFields } from '../../../src/inventory/load-balancer-status.ts';
import { OWNER_INDEX } from '../../../src/inventory/load-balancers-by-owner.ts';
import type {
  ClassicLoadBalancer,
  ClassicLoadBalancerStatus,
  ListenerStatus,
} from '../../../src/inventory/custom-resources.ts';
import { REUSE_INDEX } from '../../../src/inventory/reuse-index.ts';
import { clusterFacts, fileFacts } from '../../../src/lint/inventory-facts.ts';
import type { KubernetesObject, Service } from '../../../src/base/kubernetes-objects.ts';
import { aClb, aClbStatus } from '../../support/inventory.ts';
import { aService } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { watchedDouble } from '../../support/watched-cache.ts';

const clock = new VirtualClock(Date.parse('2026-01-02T03:04:06Z'));

const asFile = (items: readonly object[]) =>
  fileFacts({ name: 'facts.json', text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) }, clock);
const asCluster = (items: readonly ClassicLoadBalancer[]) =>
  clusterFacts(
    items.map((item) => ({ ...item, kind: 'ClassicLoadBalancer' })),
    clock,
  );

/** Pipelines without cluster access read the inventory from a file, and must get the same findings. */
describe('facts from an inventory', () => {
  const listener: Required<ListenerStatus> = {
    port: 80,
    protocol: 'tcp',
    service: 'shop/web',
    scheduler: 'wrr',
    orphan: true,
  };
  const status: Required<ClassicLoadBalancerStatus> = {
    ...aClbStatus(),
    bandwidth: 5,
    ...listenerFields([listener]),
    tags: [{ key: 'team', value: 'shop' }],
  };
  for (const [source, read] of Object.entries({ 'a file': asFile, 'a cluster': asCluster })) {
    it(`have the whole inventory, from ${source}`, () => {
      assert.deepEqual(read([aClb('lb-1', status)]).loadBalancer('lb-1'), status);
    });
  }

  it('can come from a file without creation times', () => {
    const { metadata, ...clb } = aClb('lb-1');
    const facts = asFile([{ ...clb, metadata: { ...metadata, creationTimestamp: null } }]);
    assert.equal(facts.loadBalancer('lb-1')?.address, '47.96.0.1');
  });
});

describe('the load balancer that was created for a Service, from facts in a file,', () => {
  const OWN = { owner: 'this-cluster', service: 'shop/web' } as const;
  const one = aClb('lb-1', OWN);
  const other = aClb('lb-2', { ...OWN, address: '47.96.0.2' });
  const bornAt = <Kind extends KubernetesObject>(object: Kind, creationTimestamp: string): Kind => ({
    ...object,
    metadata: { ...object.metadata, creationTimestamp },
  });
  const [earlier, later] = ['2026-01-02T03:04:05Z', '2026-01-02T03:05:00Z'];
  const served: Service = { ...aService(), status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } } };
  const managed: Service = {
    ...aService(),
    metadata: { ...aService().metadata, finalizers: ['service.k8s.alibaba/resources'] },
  };
  interface Row {
    readonly clbs: readonly ClassicLoadBalancer[];
    readonly service: Service;
    readonly address?: string;
  }
  const rows: Readonly<Record<string, Row>> = {
    'is the only load balancer that names the Service as owner': { clbs: [one], service: served, address: '47.96.0.1' },
    'is the load balancer with the published address, if several exist': {
      clbs: [one, other],
      service: served,
      address: '47.96.0.1',
    },
    'is none if several exist and the Service has no published address': { clbs: [one, other], service: managed },
    'is a load balancer that is newer than a Service without a published address': {
      clbs: [bornAt(one, later)],
      service: bornAt(managed, earlier),
      address: '47.96.0.1',
    },
    'is no load balancer older than the Service: a deleted Service of the same name had it': {
      clbs: [bornAt(one, earlier)],
      service: bornAt(managed, later),
    },
    'is none for a Service without a load balancer': { clbs: [one], service: aService() },
  };
  for (const [title, { clbs, service, address }] of Object.entries(rows)) {
    it(`${title}, as with the caches`, () => {
      const caches = createFacts({
        classicLoadBalancers: watchedDouble([...clbs], OWNER_INDEX),
        cloudInventories: watchedDouble([]),
        services: watchedDouble([], REUSE_INDEX),
        clock,
      });
      const addresses = [asFile(clbs), asCluster(clbs), caches].map((facts) => facts.ownedBy(service)?.address);
      assert.deepEqual(addresses, [address, address, address]);
    });
  }
});
