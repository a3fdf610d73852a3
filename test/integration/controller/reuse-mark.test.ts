import assert from 'node:assert/strict';
import type { Service } from '../../../src/objects.ts';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { annotation, apply, loadBalancers, running, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const REUSING = { [annotation('id')]: 'lb-shared', [annotation('force-override-listeners')]: 'true' };
const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', tags: { cost: '7' } }] };

describe('the mark on a load balancer that people brought', () => {
  const THEIRS = 'k8s/30080/other/shop/c2';
  const madeGroup = async (run: Running, name: string): Promise<string> => {
    const made = await run.cluster.ask('CreateVServerGroup', { LoadBalancerId: 'lb-shared', VServerGroupName: name });
    return String(made['VServerGroupId']);
  };
  /** What another cluster does on it, whose Services this one does not know. */
  const others: Readonly<Record<string, (run: Running) => Promise<unknown>>> = {
    'a group': (run) => madeGroup(run, THEIRS),
    'a listener': async (run) => {
      const VServerGroupId = await madeGroup(run, 'people');
      const listener = { LoadBalancerId: 'lb-shared', ListenerPort: 22, Bandwidth: -1, Description: THEIRS };
      await run.cluster.ask('CreateLoadBalancerTCPListener', { ...listener, VServerGroupId });
    },
    'a backend in a group of people': async (run) => {
      const VServerGroupId = await madeGroup(run, 'people');
      const backend = { ServerId: 'i-3', Port: 80, Weight: 1, Type: 'ecs', Description: THEIRS };
      const BackendServers = JSON.stringify([backend]);
      await run.cluster.ask('AddVServerGroupBackendServers', { VServerGroupId, BackendServers });
    },
  };
  for (const [what, add] of Object.entries(others)) {
    it(`stays while another cluster has ${what} on it, which may have come just now`, async () => {
      const run = await running({}, SHARED);
      await apply(run, { annotations: { [annotation('id')]: 'lb-shared' } });
      await add(run);
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      assert.equal(run.cluster.service(), undefined);
      assert.equal(loadBalancers(run)[0]?.tags['kubernetes.reused.by.user'], 'true');
      await run.process.stop();
    });
  }

  it('goes with the last of several Services, whatever the others had when they were last looked at', async () => {
    const run = await running({}, SHARED);
    const other = { name: 'api', uid: '00000000-0000-4000-8000-000000000002', ports: [443] };
    await apply(run, { annotations: REUSING });
    await apply(run, { ...other, annotations: REUSING });
    for (const service of [aService(), aService(other)]) {
      run.cluster.kubernetes.delete(SERVICES, keyOf(service));
      await run.cluster.quiet();
    }
    assert.equal(loadBalancers(run)[0]?.tags['kubernetes.reused.by.user'], undefined);
    await run.process.stop();
  });

  it('goes with two Services that go together, of which the one that has more to take away looks last', async () => {
    const [shared] = SHARED.loadBalancers;
    const seed = { loadBalancers: [{ ...shared, id: 'lb-shared', serverGroups: [{ id: 'rsp-hers', name: 'hers' }] }] };
    const run = await running({}, seed);
    const inHers = { [annotation('id')]: 'lb-shared', [annotation('vgroup-port')]: 'rsp-hers:81' };
    const [port] = aService().spec?.ports ?? [];
    const services = [
      aService({ ports: [80, 443], annotations: REUSING }),
      aService({
        name: 'api',
        uid: '00000000-0000-4000-8000-000000000002',
        ports: [{ ...port, port: 81, nodePort: 31_081 }],
        annotations: inHers,
      }),
    ];
    for (const service of services) run.cluster.kubernetes.put(SERVICES, service);
    await run.cluster.quiet();
    for (const service of services) run.cluster.kubernetes.delete(SERVICES, keyOf(service));
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(loadBalancers(run)[0]?.tags, { cost: '7' });
    await run.process.stop();
  });

  it('stays while a Service that names it no more is still served by it', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: REUSING });
    const other = { name: 'api', uid: '00000000-0000-4000-8000-000000000002', ports: [443] };
    await apply(run, { ...other, annotations: REUSING });
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService(other)), { metadata: { annotations: null } });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.equal(loadBalancers(run)[0]?.tags['kubernetes.reused.by.user'], 'true');
    await run.process.stop();
  });

  for (const [what, ports] of Object.entries({ 'another port': [443], 'the same port, in vain': [80] })) {
    it(`goes with two Services that go together, the second of which asked for ${what}`, async () => {
      const run = await running({}, SHARED);
      await apply(run, { annotations: REUSING });
      const other = { name: 'api', uid: '10000000-0000-4000-8000-000000000002', ports };
      await apply(run, { ...other, annotations: REUSING });
      for (const key of [KEY, keyOf(aService(other))]) run.cluster.kubernetes.delete(SERVICES, key);
      await run.cluster.quiet();
      assert.deepEqual([run.cluster.service(), run.cluster.service('api')], [undefined, undefined]);
      assert.deepEqual(loadBalancers(run)[0]?.tags, { cost: '7' });
      await run.process.stop();
    });
  }

  const API = { name: 'api', uid: '00000000-0000-4000-8000-000000000002', ports: [443] };
  const together: Readonly<Record<string, (run: Running, service: Service) => void>> = {
    go: ({ cluster }, service) => {
      cluster.kubernetes.delete(SERVICES, keyOf(service));
    },
    'go, neither of which names it any more': ({ cluster }, service) => {
      cluster.kubernetes.patch(SERVICES, keyOf(service), { metadata: { annotations: null } });
      cluster.kubernetes.delete(SERVICES, keyOf(service));
    },
  };
  for (const [what, end] of Object.entries(together)) {
    it(`goes with two Services that ${what}, one after the other, where calls take a while`, async () => {
      const run = await running({}, SHARED);
      const services = [{ ports: [80, 81, 82, 83] }, API].map((said) => aService(said));
      for (const said of [{ ports: [80, 81, 82, 83] }, API]) await apply(run, { ...said, annotations: REUSING });
      run.cluster.simulator.faults([{ action: '*', effect: 'slow', ms: 200, count: 500 }]);
      for (const service of services) {
        end(run, service);
        await run.cluster.quiet(50);
      }
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(loadBalancers(run).find(({ id }) => id === 'lb-shared')?.tags, { cost: '7' });
      await run.process.stop();
    });
  }
});
