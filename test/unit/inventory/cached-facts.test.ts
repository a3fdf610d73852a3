import assert from 'node:assert/strict';
import { createFacts } from '../../../src/inventory/cached-facts.ts';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import type { ClassicLoadBalancer, CloudInventory } from '../../../src/inventory/resource.ts';
import { OWNER_INDEX } from '../../../src/inventory/owner-index.ts';
import { REUSE_INDEX } from '../../../src/inventory/reuse.ts';
import type { KubernetesObject, Service } from '../../../src/base/objects.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';
import { aService } from '../../support/service.ts';
import { watchedDouble } from '../../support/watched.ts';

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
const held = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, finalizers: ['service.k8s.alibaba/resources'] },
});
const minutes = (count: number) => count * 60_000;

describe('facts from the caches', () => {
  describe('freshness', () => {
    it('is absent before the first complete pass was seen', () => {
      assert.deepEqual(bench().facts.freshness(), { kind: 'absent' });
    });

    it('is absent while a cache is not synced, whatever is in it', () => {
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

    it('counts from when the reader saw observedAt change, not from what it says', async () => {
      const { clock, facts, cloudInventories } = bench({ inventories: [aCloudInventory()] });
      await clock.advance(minutes(10));
      cloudInventories.put(aCloudInventory({ observedAt: '2020-01-01T00:00:00Z' }));
      assert.deepEqual(facts.freshness(), { kind: 'fresh', ageMs: 0 });
    });

    it('does not become younger when anything but observedAt changes', async () => {
      const { clock, facts, cloudInventories } = bench({ inventories: [aCloudInventory()] });
      await clock.advance(minutes(6));
      cloudInventories.put(aCloudInventory({ backendType: 'eni' }));
      assert.deepEqual(facts.freshness(), { kind: 'stale', ageMs: minutes(6) });
    });

    it('takes what was there at the start to be as old as it says', () => {
      const { facts } = bench({ inventories: [aCloudInventory({ observedAt: '2026-01-02T02:04:05Z' })] });
      assert.deepEqual(facts.freshness(), { kind: 'stale', ageMs: minutes(60) });
    });

    it('survives a wall clock that is set back or lies in the past', async () => {
      const { clock, facts } = bench({ inventories: [aCloudInventory({ observedAt: '2026-01-02T09:00:00Z' })] });
      clock.jump(-clock.now());
      await clock.advance(1000);
      assert.deepEqual(facts.freshness(), { kind: 'fresh', ageMs: 1000 });
    });

    it('is absent again when the inventory is deleted', () => {
      const { facts, cloudInventories } = bench({ inventories: [aCloudInventory()] });
      cloudInventories.remove('default' as never);
      assert.deepEqual(facts.freshness(), { kind: 'absent' });
      assert.equal(facts.cluster(), undefined);
    });
  });

  it('answers a load balancer by its id, and the cluster', () => {
    const { facts } = bench({ clbs: [aClb('lb-1', { owner: 'api-server' })], inventories: [aCloudInventory()] });
    assert.equal(facts.loadBalancer('lb-1')?.owner, 'api-server');
    assert.equal(facts.loadBalancer('lb-2'), undefined);
    assert.equal(facts.cluster()?.clusterId, 'c1');
  });

  describe('the load balancer that was made for a Service', () => {
    const served = (...ips: readonly string[]): Service => ({
      ...aService(),
      status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } },
    });
    const OWN = { owner: 'this-cluster', service: 'shop/web', address: '47.0.0.1' } as const;
    const addressOf = (clbs: readonly ClassicLoadBalancer[], service: Service) =>
      bench({ clbs: [...clbs] }).facts.ownedBy(service)?.address;

    it('is the one that the mirror says so of, whatever a label says', () => {
      const labels = { 'service.k8s.alibaba/loadbalancer-id': 'lb-2' };
      const clbs = [aClb('lb-1', OWN), aClb('lb-2', { ...OWN, service: 'bank/web', address: '47.0.0.2' })];
      const service = served('47.0.0.9');
      assert.equal(addressOf(clbs, { ...service, metadata: { ...service.metadata, labels } }), '47.0.0.1');
    });

    it('is the one of several that has the address that is told, and none where none has', () => {
      const clbs = [aClb('lb-0', { ...OWN, address: '47.0.0.3' }), aClb('lb-1', OWN)];
      assert.equal(addressOf(clbs, served('47.0.0.1')), '47.0.0.1');
      assert.equal(addressOf(clbs, served('47.0.0.9')), undefined);
    });

    it('is none where nothing is served yet', () => {
      assert.equal(addressOf([aClb('lb-1', OWN)], aService()), undefined);
    });

    describe('where nothing is served yet, though it is held for what may be there', () => {
      const bornAt = <Kind extends KubernetesObject>(object: Kind, creationTimestamp: string): Kind => ({
        ...object,
        metadata: { ...object.metadata, creationTimestamp },
      });
      const [earlier, later] = ['2026-01-02T03:04:05Z', '2026-01-02T03:05:00Z'];
      const clb = aClb('lb-1', OWN);

      it('is the one that was mirrored since', () => {
        assert.equal(addressOf([bornAt(clb, later)], bornAt(held(aService()), earlier)), '47.0.0.1');
      });

      it('is none that was mirrored before: another Service had the name', () => {
        assert.equal(addressOf([bornAt(clb, earlier)], bornAt(held(aService()), later)), undefined);
      });

      it('is none of several: which it is cannot be told', () => {
        assert.equal(addressOf([clb, aClb('lb-2', OWN)], held(aService())), undefined);
      });
    });
  });

  it('answers the load balancer that serves a Service by owner, and else by address in the VPC of the cluster', () => {
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

  describe('the load balancer that a binding records', () => {
    const service = { ...aService(), status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } } };
    const loadBalancer = { id: 'lb-1', use: 'reused', address: '47.0.0.1' } as const;
    const { name, namespace, uid } = service.metadata;
    const spec = { service: { namespace, name }, clusterUID: 'uid-of-kube-system', loadBalancer };
    const bindings = [{ metadata: { name: uid, uid: 'uid-of-binding', resourceVersion: '1' }, spec }];
    const [clb, other] = [aClb('lb-1', { address: '47.0.0.1' }), aClb('lb-2', { address: '47.0.0.2' })];
    const sameAddress = aClb('lb-3', { address: '47.0.0.1' });
    const recorded = { id: 'lb-1', isOwned: false, address: '47.0.0.1' };
    const rows = {
      'serves the Service while the inventory shows it': { clbs: [clb, other], expected: recorded },
      'serves none if a fresh inventory does not show it: it is gone': { clbs: [other], expected: undefined },
      'gives way to one with the published address if it is gone': {
        clbs: [other, sameAddress],
        expected: { id: 'lb-3', isOwned: false },
      },
      'serves the Service as far as a stale inventory proves': { clbs: [other], ageMs: minutes(6), expected: recorded },
    };
    for (const [sentence, { clbs, expected, ...age }] of Object.entries(rows)) {
      it(sentence, async () => {
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
      'a Service that names the load balancer, by the ports own protocol': {
        service: aService({
          annotations: OVERRIDE,
          ports: [80, { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 }],
        }),
        expected: [
          { service: 'shop/web', port: 80, protocol: 'tcp' },
          { service: 'shop/web', port: 53, protocol: 'udp' },
        ],
      },
      'a Service that names it by the deprecated key': {
        service: aService({ annotations: { ...OLD, [`${DEPRECATED}protocol-port`]: 'http:80' } }),
        expected: [{ service: 'shop/web', port: 80, protocol: 'http' }],
      },
      'by the first entry of protocol-port that names the port': {
        service: aService({
          annotations: { ...OVERRIDE, [`${CURRENT}protocol-port`]: 'https:443,tcp:443' },
          ports: [80, 443],
        }),
        expected: [
          { service: 'shop/web', port: 80, protocol: 'tcp' },
          { service: 'shop/web', port: 443, protocol: 'https' },
        ],
      },
      'not for a port that no listener can have': {
        service: aService({
          annotations: OVERRIDE,
          ports: [{ name: 's', port: 80, protocol: 'SCTP', targetPort: 80 }],
        }),
        expected: [],
      },
      'by the spelling of 2017': {
        service: aService({
          annotations: { [`${DEPRECATED}ID`]: 'lb-1', [`${DEPRECATED}ForceOverrideListeners`]: 'true' },
        }),
        expected: [{ service: 'shop/web', port: 80, protocol: 'tcp' }],
      },
      'not a Service of another controller': {
        service: aService({
          annotations: { ...OVERRIDE, [`${CURRENT}type`]: 'nlb' },
        }),
        expected: [],
      },
      'a Service with a type that no controller reads': {
        service: aService({ annotations: { ...OVERRIDE, [`${CURRENT}type`]: 'clb' } }),
        expected: [{ service: 'shop/web', port: 80, protocol: 'tcp' }],
      },
      'a Service that asked for another and is served here': {
        service: held(aService({ annotations: { ...OVERRIDE, [`${CURRENT}type`]: 'nlb' } })),
        expected: [{ service: 'shop/web', port: 80, protocol: 'tcp' }],
      },
      'the current key wins over the deprecated one': {
        service: aService({ annotations: { ...OLD, [`${CURRENT}id`]: 'lb-2' } }),
        expected: [],
      },
      'not a Service without force-override-listeners': {
        service: aService({ annotations: { [`${CURRENT}id`]: 'lb-1' } }),
        expected: [],
      },
      'not a Service of another type': {
        service: aService({ type: 'ClusterIP', annotations: OVERRIDE }),
        expected: [],
      },
      'not a Service that gets its own load balancer': {
        service: aService({ annotations: { [`${CURRENT}id`]: '' } }),
        expected: [],
      },
    };
    for (const [sentence, { service, expected }] of Object.entries(holders)) {
      it(sentence, () => {
        assert.deepEqual(bench({ services: [service] }).facts.portHolders('lb-1'), expected);
      });
    }

    it('are worked out once for a state of a Service, and anew for the next', () => {
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
