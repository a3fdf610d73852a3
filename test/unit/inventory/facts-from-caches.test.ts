import assert from 'node:assert/strict';
import { createFacts } from '../../../src/inventory/facts-from-caches.ts';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import type { ClassicLoadBalancer, CloudInventory } from '../../../src/inventory/custom-resources.ts';
import { OWNER_INDEX } from '../../../src/inventory/load-balancers-by-owner.ts';
import { REUSE_INDEX } from '../../../src/inventory/reuse-index.ts';
import type { KubernetesObject, Service } from '../../../src/base/kubernetes-objects.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';
import { aService } from '../../support/service.ts';
import { watchedDouble } from '../../support/watched-cache.ts';

const CURRENT = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const DEPRECATED = 'service.beta.kubernetes.io/alicloud-loadbalancer-';

interface Has {
  readonly clbs?: ClassicLoadBalancer[];
  readonly inventories?: CloudInventory[];
  readonly services?: Service[];
  readonly bindings?: LoadBalancerBinding[];
}

const bench = (has: Has = {}) => {
  const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'));
  const classicLoadBalancers = watchedDouble(has.clbs ?? [], OWNER_INDEX);
  const cloudInventories = watchedDouble(has.inventories ?? []);
  const services = watchedDouble(has.services ?? [], REUSE_INDEX);
  const bindings = watchedDouble(has.bindings ?? []);
  const facts = createFacts({ classicLoadBalancers, cloudInventories, services, bindings, clock });
  return { clock, classicLoadBalancers, cloudInventories, services, facts };
};
const withFinalizer = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, finalizers: ['service.k8s.alibaba/resources'] },
});
const minutes = (count: number) => count * 60_000;

/** Rules decide by these facts, whose age must be known, because most rules only warn if the facts are stale. */
describe('facts from the caches', () => {
  describe('freshness', () => {
    it('is absent before the first complete pass was observed', () => {
      assert.deepEqual(bench().facts.freshness(), { kind: 'absent' });
    });

    it('is absent while a cache is not synced, for any content', () => {
      const { facts, classicLoadBalancers, cloudInventories } = bench({ inventories: [aCloudInventory()] });
      classicLoadBalancers.setSynced(false);
      assert.equal(facts.freshness().kind, 'absent');
      classicLoadBalancers.setSynced(true);
      cloudInventories.setSynced(false);
      assert.equal(facts.freshness().kind, 'absent');
    });

    it('is fresh for exactly five minutes, then stale', async () => {
      const { clock, facts } = bench({ inventories: [aCloudInventory()] });
      await clock.advance(minutes(5));
      assert.deepEqual(facts.freshness(), { kind: 'fresh', ageMs: minutes(5) });
      await clock.advance(1);
      assert.deepEqual(facts.freshness(), { kind: 'stale', ageMs: minutes(5) + 1 });
    });

    it('counts from the moment observedAt changes, not from its value', async () => {
      const { clock, facts, cloudInventories } = bench({ inventories: [aCloudInventory()] });
      await clock.advance(minutes(10));
      cloudInventories.put(aCloudInventory({ observedAt: '2020-01-01T00:00:00Z' }));
      assert.deepEqual(facts.freshness(), { kind: 'fresh', ageMs: 0 });
    });

    it('does not start again if only fields other than observedAt change', async () => {
      const { clock, facts, cloudInventories } = bench({ inventories: [aCloudInventory()] });
      await clock.advance(minutes(6));
      cloudInventories.put(aCloudInventory({ backendType: 'eni' }));
      assert.deepEqual(facts.freshness(), { kind: 'stale', ageMs: minutes(6) });
    });

    it('counts from the value of observedAt for the initial inventory', () => {
      const { facts } = bench({ inventories: [aCloudInventory({ observedAt: '2026-01-02T02:04:05Z' })] });
      assert.deepEqual(facts.freshness(), { kind: 'stale', ageMs: minutes(60) });
    });

    it('does not depend on a wall clock that is set back or slow', async () => {
      const { clock, facts } = bench({ inventories: [aCloudInventory({ observedAt: '2026-01-02T09:00:00Z' })] });
      clock.jump(-clock.now());
      await clock.advance(1000);
      assert.deepEqual(facts.freshness(), { kind: 'fresh', ageMs: 1000 });
    });

    it('is absent again if the inventory is deleted', () => {
      const { facts, cloudInventories } = bench({ inventories: [aCloudInventory()] });
      cloudInventories.remove('default' as never);
      assert.deepEqual(facts.freshness(), { kind: 'absent' });
      assert.equal(facts.cluster(), undefined);
    });
  });

  it('return a load balancer by its id, and the cluster', () => {
    const { facts } = bench({ clbs: [aClb('lb-1', { owner: 'api-server' })], inventories: [aCloudInventory()] });
    assert.equal(facts.loadBalancer('lb-1')?.owner, 'api-server');
    assert.equal(facts.loadBalancer('lb-2'), undefined);
    assert.equal(facts.cluster()?.clusterId, 'c1');
  });

  describe('the load balancer that was created for a Service', () => {
    const served = (...ips: readonly string[]): Service => ({
      ...aService(),
      status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } },
    });
    const OWN = { owner: 'this-cluster', service: 'shop/web', address: '47.0.0.1' } as const;
    const addressOf = (clbs: readonly ClassicLoadBalancer[], service: Service) =>
      bench({ clbs: [...clbs] }).facts.ownedBy(service)?.address;

    it('is the load balancer that the inventory assigns to the Service, whatever id its label has', () => {
      const labels = { 'service.k8s.alibaba/loadbalancer-id': 'lb-2' };
      const clbs = [aClb('lb-1', OWN), aClb('lb-2', { ...OWN, service: 'bank/web', address: '47.0.0.2' })];
      const service = served('47.0.0.9');
      assert.equal(addressOf(clbs, { ...service, metadata: { ...service.metadata, labels } }), '47.0.0.1');
    });

    it('is the load balancer with the published address, if several exist', () => {
      const clbs = [aClb('lb-0', { ...OWN, address: '47.0.0.3' }), aClb('lb-1', OWN)];
      assert.equal(addressOf(clbs, served('47.0.0.1')), '47.0.0.1');
      assert.equal(addressOf(clbs, served('47.0.0.9')), undefined);
    });

    it('is none while no load balancer serves the Service', () => {
      assert.equal(addressOf([aClb('lb-1', OWN)], aService()), undefined);
    });

    describe('with the finalizer alone', () => {
      const bornAt = <Kind extends KubernetesObject>(object: Kind, creationTimestamp: string): Kind => ({
        ...object,
        metadata: { ...object.metadata, creationTimestamp },
      });
      const [earlier, later] = ['2026-01-02T03:04:05Z', '2026-01-02T03:05:00Z'];
      const clb = aClb('lb-1', OWN);

      it('is the load balancer that appeared in the inventory after the Service was created', () => {
        assert.equal(addressOf([bornAt(clb, later)], bornAt(withFinalizer(aService()), earlier)), '47.0.0.1');
      });

      it('is none that appeared before the Service, because another Service had the name', () => {
        assert.equal(addressOf([bornAt(clb, earlier)], bornAt(withFinalizer(aService()), later)), undefined);
      });

      it('is none of several, because the right load balancer is unknown', () => {
        assert.equal(addressOf([clb, aClb('lb-2', OWN)], withFinalizer(aService())), undefined);
      });
    });
  });

  it("return the load balancer of a Service by owner, else by address in the cluster's VPC", () => {
    const service = { ...aService(), status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } };
    const [elsewhere, here] = ['vpc-2', 'vpc-1'].map((vpcId) =>
      aClb(`lb-${vpcId}`, { address: '10.0.0.1', addressType: 'intranet', vpcId }),
    );
    assert.ok(elsewhere !== undefined && here !== undefined);
    const inventories = [aCloudInventory({ vpcId: 'vpc-1' })];
    const boundTo = (...clbs: ClassicLoadBalancer[]) => bench({ clbs, inventories }).facts.boundTo(service);
    assert.equal(boundTo(elsewhere), undefined);
    assert.deepEqual(boundTo(elsewhere, here), { id: 'lb-vpc-1', isOwned: false });
    const own = aClb('lb-own', { owner: 'this-cluster', service: 'shop/web', address: '10.0.0.9' });
    assert.deepEqual(boundTo(here, own), { id: 'lb-own', isOwned: true });
  });

  describe('the load balancer in a binding', () => {
    const service = { ...aService(), status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } } };
    const loadBalancer = { id: 'lb-1', use: 'reused', address: '47.0.0.1' } as const;
    const { name, namespace, uid } = service.metadata;
    const spec = { service: { namespace, name }, clusterUID: 'uid-of-kube-system', loadBalancer };
    const bindings = [{ metadata: { name: uid, uid: 'uid-of-binding', resourceVersion: '1' }, spec }];
    const [clb, other] = [aClb('lb-1', { address: '47.0.0.1' }), aClb('lb-2', { address: '47.0.0.2' })];
    const sameAddress = aClb('lb-3', { address: '47.0.0.1' });
    const recorded = { id: 'lb-1', isOwned: false, address: '47.0.0.1' };
    const rows = {
      'serves the Service while the inventory contains it': { clbs: [clb, other], expected: recorded },
      'serves no Service if a fresh inventory lacks it': { clbs: [other], expected: undefined },
      'is replaced by the load balancer with the published address if it was deleted': {
        clbs: [other, sameAddress],
        expected: { id: 'lb-3', isOwned: false },
      },
      'serves the Service if only a stale inventory lacks it': { clbs: [other], ageMs: minutes(6), expected: recorded },
    };
    for (const [title, { clbs, expected, ...age }] of Object.entries(rows)) {
      it(title, async () => {
        const { clock, facts } = bench({ clbs, bindings, inventories: [aCloudInventory()] });
        await clock.advance('ageMs' in age ? age.ageMs : 0);
        assert.deepEqual(facts.boundTo(service), expected);
      });
    }
  });

  describe('port holders', () => {
    const OVERRIDE = { [`${CURRENT}id`]: 'lb-1', [`${CURRENT}force-override-listeners`]: 'true' };
    const OLD = { [`${DEPRECATED}id`]: 'lb-1', [`${DEPRECATED}force-override-listeners`]: 'true' };
    const holders = {
      'include a Service that names the load balancer, with the protocol of the port': {
        service: aService({
          annotations: OVERRIDE,
          ports: [80, { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 }],
        }),
        expected: [
          { service: 'shop/web', port: 80, protocol: 'tcp' },
          { service: 'shop/web', port: 53, protocol: 'udp' },
        ],
      },
      'include a Service that names the load balancer with the deprecated key': {
        service: aService({ annotations: { ...OLD, [`${DEPRECATED}protocol-port`]: 'http:80' } }),
        expected: [{ service: 'shop/web', port: 80, protocol: 'http' }],
      },
      'have the protocol in the first entry of protocol-port for the port': {
        service: aService({
          annotations: { ...OVERRIDE, [`${CURRENT}protocol-port`]: 'https:443,tcp:443' },
          ports: [80, 443],
        }),
        expected: [
          { service: 'shop/web', port: 80, protocol: 'tcp' },
          { service: 'shop/web', port: 443, protocol: 'https' },
        ],
      },
      'exclude a port that no listener can have': {
        service: aService({
          annotations: OVERRIDE,
          ports: [{ name: 's', port: 80, protocol: 'SCTP', targetPort: 80 }],
        }),
        expected: [],
      },
      'include a Service that names the load balancer with the spelling of 2017': {
        service: aService({
          annotations: { [`${DEPRECATED}ID`]: 'lb-1', [`${DEPRECATED}ForceOverrideListeners`]: 'true' },
        }),
        expected: [{ service: 'shop/web', port: 80, protocol: 'tcp' }],
      },
      'exclude a Service of another controller': {
        service: aService({
          annotations: { ...OVERRIDE, [`${CURRENT}type`]: 'nlb' },
        }),
        expected: [],
      },
      'include a Service with an unknown type annotation': {
        service: aService({ annotations: { ...OVERRIDE, [`${CURRENT}type`]: 'clb' } }),
        expected: [{ service: 'shop/web', port: 80, protocol: 'tcp' }],
      },
      'include a Service with the type annotation nlb if it has the finalizer': {
        service: withFinalizer(aService({ annotations: { ...OVERRIDE, [`${CURRENT}type`]: 'nlb' } })),
        expected: [{ service: 'shop/web', port: 80, protocol: 'tcp' }],
      },
      'prefer the current key over the deprecated key': {
        service: aService({ annotations: { ...OLD, [`${CURRENT}id`]: 'lb-2' } }),
        expected: [],
      },
      'exclude a Service without force-override-listeners': {
        service: aService({ annotations: { [`${CURRENT}id`]: 'lb-1' } }),
        expected: [],
      },
      'exclude a Service of another type': {
        service: aService({ type: 'ClusterIP', annotations: OVERRIDE }),
        expected: [],
      },
      'exclude a Service with its own load balancer': {
        service: aService({ annotations: { [`${CURRENT}id`]: '' } }),
        expected: [],
      },
    };
    for (const [title, { service, expected }] of Object.entries(holders)) {
      it(title, () => {
        assert.deepEqual(bench({ services: [service] }).facts.portHolders('lb-1'), expected);
      });
    }

    it('are computed once per state of a Service', () => {
      const reusing = (port: number) => aService({ annotations: OVERRIDE, ports: [port] });
      const { facts, services } = bench({ services: [reusing(80)] });
      const [first] = facts.portHolders('lb-1');
      assert.equal(facts.portHolders('lb-1')[0], first);
      services.put(reusing(81));
      assert.deepEqual(
        facts.portHolders('lb-1').map(({ port }) => port),
        [81],
      );
    });
  });
});
