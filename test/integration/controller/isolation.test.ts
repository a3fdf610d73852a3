import assert from 'node:assert/strict';
import { NODES, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import { annotated, loadBalancers, callCount, running, type Running } from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const GOOD = Array.from({ length: 8 }, (_, index) => `good-${index}`);
const uidOf = (index: number): string => `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;
const AN_HOUR_MS = 60 * 60_000;
/** A load balancer that Services of several namespaces use. */
const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1' }] };

/** Defects of one Service: its annotations, and the faults of the cloud. */
const BAD: Readonly<
  Record<
    string,
    { readonly annotations: Readonly<Record<string, string>>; readonly fault?: object; readonly hit: string }
  >
> = {
  'is denied by the rules': { annotations: { scheduler: 'fair' }, hit: 'CreateLoadBalancer' },
  'is rejected by the cloud for its listener': {
    annotations: { id: 'lb-bad', 'force-override-listeners': 'true' },
    fault: { action: 'CreateLoadBalancerTCPListener', effect: 'reject', code: 'InvalidParameter' },
    hit: 'CreateLoadBalancerTCPListener',
  },
  'gets no response from the cloud': {
    annotations: { id: 'lb-bad' },
    fault: { action: 'DescribeLoadBalancerAttribute', effect: 'timeout-before-commit' },
    hit: 'DescribeLoadBalancerAttribute',
  },
};

/** Creates the valid Services together, and optionally an invalid one. Returns milliseconds until all valid ones are synced. */
async function servedAfterMs(run: Running, bad: Readonly<Record<string, string>> | undefined): Promise<number> {
  const { cluster } = run;
  const since = cluster.clock.monotonic();
  if (bad !== undefined)
    cluster.kubernetes.put(SERVICES, aService({ name: 'bad', uid: uidOf(9), annotations: annotated(bad) }));
  GOOD.forEach((name, index) => cluster.kubernetes.put(SERVICES, aService({ name, uid: uidOf(index) })));
  const isServed = (name: string): boolean => cluster.service(name)?.status?.loadBalancer?.ingress !== undefined;
  for (let tries = 0; tries < 600 && !GOOD.every(isServed); tries += 1) await cluster.quiet(100);
  assert.ok(GOOD.every(isServed), 'all are served within a minute');
  return cluster.clock.monotonic() - since;
}

/** Selects the calls for the namespace with 500 Services, because only its load balancers are intranet. */
const HOSTILE = { AddressType: 'intranet' };
/** Fault of each of the 500 Services in the simulator. */
const FAILURES: Readonly<Record<string, object | undefined>> = {
  'is rejected by the cloud': { action: 'CreateLoadBalancer', effect: 'reject', code: 'OperationFailed' },
  'times out': { action: 'CreateLoadBalancer', effect: 'timeout-before-commit' },
  'is created without errors': undefined,
};

/** Creates one Service. Returns the milliseconds until it is synced. */
async function servedOneAfterMs({ cluster }: Running, input: Parameters<typeof aService>[0] = {}): Promise<number> {
  const since = cluster.clock.monotonic();
  cluster.kubernetes.put(SERVICES, aService({ name: 'single', uid: uidOf(9_999), ...input }));
  const isServed = (): boolean => cluster.service('single')?.status?.loadBalancer?.ingress !== undefined;
  for (let tries = 0; tries < 6_000 && !isServed(); tries += 1) await cluster.quiet(100);
  return cluster.clock.monotonic() - since;
}

/** All namespaces share the rate limits of the cloud. Without isolation, one tenant could stop the changes of all others. */
describe('a Service that', () => {
  for (const [trouble, { annotations, fault, hit }] of Object.entries(BAD)) {
    it(`${trouble} delays no other Service, and is retried at most once in five minutes`, async () => {
      const alone = await running();
      const aloneMs = await servedAfterMs(alone, undefined);
      await alone.process.stop();

      const run = await running({}, { loadBalancers: [{ id: 'lb-bad', name: 'bad', address: '47.1.1.1' }] });
      const filter = { LoadBalancerId: 'lb-bad' };
      if (fault !== undefined) run.cluster.simulator.faults([{ ...fault, filter, count: 'forever' }]);
      assert.ok((await servedAfterMs(run, annotations)) <= aloneMs + 100);

      await run.cluster.quiet(AN_HOUR_MS);
      const since = callCount(run);
      run.cluster.kubernetes.delete(NODES, objectKey('n3'));
      await run.cluster.quiet(2_000);
      const servers = loadBalancers(run).flatMap(({ id, serverGroups }) =>
        id === 'lb-bad' ? [] : serverGroups.flatMap(({ backends }) => backends.map(({ serverId }) => serverId)),
      );
      assert.deepEqual(new Set(servers), new Set(['i-1', 'i-2']));
      await run.cluster.quiet(AN_HOUR_MS);
      const tries = run.cluster
        .journal(since)
        .filter(
          ({ action, parameters }) => action === hit && [undefined, 'lb-bad'].includes(parameters['LoadBalancerId']),
        );
      assert.ok(tries.length <= 13, `${tries.length} tries in an hour`);
      await run.process.stop();
    });
  }

  for (const [trouble, fault] of Object.entries(FAILURES)) {
    it(`${trouble} delays no other namespace by over 1 s, even 500 times`, async () => {
      const alone = await running();
      const aloneMs = await servedOneAfterMs(alone);
      await alone.process.stop();

      const run = await running();
      if (fault !== undefined) run.cluster.simulator.faults([{ ...fault, filter: HOSTILE, count: 'forever' }]);
      const annotations = annotated({ 'address-type': 'intranet' });
      for (let index = 0; index < 500; index += 1) {
        const input = { name: `bad-${index}`, namespace: 'hostile', uid: uidOf(index), annotations };
        run.cluster.kubernetes.put(SERVICES, aService(input));
      }
      await run.cluster.quiet(5_000);
      const togetherMs = await servedOneAfterMs(run);
      assert.ok(
        togetherMs <= aloneMs + 1_000,
        `${togetherMs} ms with 500 Services of another namespace, ${aloneMs} ms alone`,
      );
      await run.process.stop();
    });
  }

  for (const ports of [1, 4])
    it(`has ${ports} rejected port${ports === 1 ? '' : 's'} on a shared load balancer delays no other namespace, even 500 times`, async () => {
      const annotations = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });
      const single = { ports: [60_000], annotations };
      const alone = await running({}, SHARED);
      const aloneMs = await servedOneAfterMs(alone, single);
      await alone.process.stop();

      const run = await running({}, SHARED);
      for (let index = 0; index < 500; index += 1) {
        const input = { name: `bad-${index}`, namespace: 'hostile', uid: uidOf(index), annotations };
        const numbers = Array.from({ length: ports }, (_, at) => 100 + ports * index + at);
        const fault = { action: 'CreateVServerGroup', effect: 'reject', code: 'InvalidParameter', count: 'forever' };
        const groups = numbers.map((port) => `k8s/${30_000 + (port % 2768)}/bad-${index}/hostile/c1`);
        run.cluster.simulator.faults(groups.map((VServerGroupName) => ({ ...fault, filter: { VServerGroupName } })));
        run.cluster.kubernetes.put(SERVICES, aService({ ...input, ports: numbers }));
      }
      await run.cluster.quiet(5_000);
      const togetherMs = await servedOneAfterMs(run, single);
      assert.ok(togetherMs <= aloneMs + 1_000, `${togetherMs} ms beside 500 of another namespace, ${aloneMs} ms alone`);
      await run.process.stop();
    });

  it('is created without errors delays no other namespace by over a rate window, even 500 times', async () => {
    const run = await running();
    for (let index = 0; index < 500; index += 1)
      run.cluster.kubernetes.put(SERVICES, aService({ name: `bad-${index}`, namespace: 'hostile', uid: uidOf(index) }));
    await run.cluster.quiet(5_000);
    const togetherMs = await servedOneAfterMs(run, { ports: [80, 443, 8080] });
    assert.ok(togetherMs <= 61_000, `${togetherMs} ms`);
    await run.process.stop();
  });

  it('gets no response from the cloud delays no other Service, even 18 times', async () => {
    const ids = Array.from({ length: 18 }, (_, index) => `lb-silent${index}`);
    const seed = { loadBalancers: ids.map((id, index) => ({ id, name: id, address: `47.1.1.${index}` })) };
    const run = await running({}, seed);
    run.cluster.simulator.faults(
      ids.map((LoadBalancerId) => ({ filter: { LoadBalancerId }, effect: 'timeout-before-commit', count: 'forever' })),
    );
    ids.forEach((id, index) =>
      run.cluster.kubernetes.put(
        SERVICES,
        aService({ name: id, uid: uidOf(10 + index), annotations: annotated({ id }) }),
      ),
    );
    assert.ok((await servedAfterMs(run, undefined)) < 10_000);
    await run.process.stop();
  });
});
