import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { keyOf, SERVICES, type Cluster } from '../../support/cluster.ts';
import { annotated, apply, ingress, loadBalancers, running, standing } from '../../support/running.ts';
import { reference, stage, type Scenario } from '../../support/scenario.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const MINUTES = 60_000;
const listeners = [{ port: 22, protocol: 'tcp' }];
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', listeners },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners },
  ],
};
const on = (id: string) => annotated({ id, 'force-override-listeners': 'true' });
const OWN = annotated({ id: null, 'force-override-listeners': null });
const ON_A = on('lb-a');
const ON_B = on('lb-b');

type Place = typeof OWN | typeof ON_A;

/** The address is taken out of the status, as who wants another load balancer has to, and another is named. */
const go = (cluster: Cluster, annotations: Place): void => {
  cluster.kubernetes.patch(SERVICES, KEY, { status: { loadBalancer: null } });
  cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations } });
};
const servedBy = (place: Place) => (cluster: Cluster) => {
  cluster.simulator.seed(SEED);
  cluster.kubernetes.put(SERVICES, aService(place === OWN ? {} : { annotations: place as typeof ON_A }));
};
/** All that people can see in the end. */
const endOf = (cluster: Cluster) => ({
  cloud: cloudPicture(cluster.simulator),
  condition: cluster.service()?.status?.conditions?.map(({ status, message }) => [status, message]),
  addresses: cluster.service()?.status?.loadBalancer?.ingress?.length,
});

/** Goes from one place to lb-b and, at a step of that, on to what it wants in the end. */
async function turnedAt(step: number, scenario: Scenario, to: Place, isKilled: boolean): Promise<object> {
  const reached = Promise.withResolvers<undefined>();
  let steps = 0;
  const atStep = async () => {
    steps += 1;
    if (steps !== step) return;
    if (isKilled) process.kill();
    go(cluster, to);
    reached.resolve(undefined);
  };
  const { cluster, process } = await stage(scenario, { aroundCall: atStep, aroundWrite: atStep });
  scenario.act(cluster);
  await cluster.clock.complete(reached.promise, MINUTES);
  if (isKilled) await cluster.quiet(2_000);
  const last = isKilled ? cluster.start() : process;
  await cluster.quiet(20 * MINUTES);
  await last.stop();
  return endOf(cluster);
}

const MOVES: Readonly<Record<string, readonly [from: Place, to: Place]>> = {
  'wants its own back': [OWN, OWN],
  'wants the one of people back': [ON_A, ON_A],
  'wants a third one instead': [OWN, ON_A],
};

describe('a Service that goes over to another load balancer and changes its mind at any moment of it', () => {
  for (const [what, [from, to]] of Object.entries(MOVES))
    for (const isKilled of [false, true])
      it(`is served as if it had never been there: ${what}${isKilled ? ', and the process is killed' : ''}`, async () => {
        const scenario: Scenario = { prepare: servedBy(from), act: (cluster) => go(cluster, ON_B) };
        const plain = await stage({ prepare: servedBy(to), act: () => undefined });
        const expected = endOf(plain.cluster);
        await plain.process.stop();
        const { steps } = await reference(scenario);
        for (let step = 1; step <= steps; step += 1)
          assert.deepEqual(await turnedAt(step, scenario, to, isKilled), expected, `step ${step} of ${steps}`);
      });
});

describe('a Service that wants back what it had while it is being carried out on another load balancer', () => {
  for (const [what, place] of Object.entries({ 'its own': OWN, 'one of people': ON_A }))
    it(`finds it untouched: ${what}`, async () => {
      const { cluster, process } = await running({}, SEED);
      cluster.kubernetes.put(SERVICES, aService(place === OWN ? {} : { annotations: place as typeof ON_A }));
      await cluster.quiet();
      const since = cluster.simulator.journal().length;
      cluster.simulator.faults([{ action: 'StartLoadBalancerListener', effect: 'slow', ms: 5_000, count: 1 }]);
      go(cluster, ON_B);
      await cluster.quiet(3_000);
      go(cluster, place);
      await cluster.quiet(5 * MINUTES);
      // Whose tags are changed is not told.
      const changed = cluster.journal(since).flatMap(({ subject = [] }) => subject);
      assert.deepEqual([...new Set(changed)], ['lb-b']);
      await process.stop();
    });
});

describe('a Service whose own load balancer could not be deleted when another served it', () => {
  for (const isKilled of [false, true])
    it(`gets it back with its protection${isKilled ? ' from the next process' : ''}`, async () => {
      const run = await running({}, SEED);
      await apply(run);
      run.cluster.simulator.faults([
        { action: 'DeleteLoadBalancer', effect: 'refuse', code: 'OperationDenied', count: 1 },
      ]);
      const own = () => loadBalancers(run).find(({ id }) => !['lb-a', 'lb-b'].includes(id));
      const before = own();
      go(run.cluster, ON_B);
      await run.cluster.quiet(4_000);
      assert.equal(own()?.deleteProtection, 'off');
      if (isKilled) run.process.kill();
      go(run.cluster, OWN);
      const next = isKilled ? { cluster: run.cluster, process: run.cluster.start() } : run;
      await run.cluster.quiet(4 * MINUTES);
      assert.deepEqual([own(), standing(next)[0]], [before, 'True']);
      assert.equal(run.cluster.service()?.metadata.labels?.['portcullis.io/dirty'], undefined);
      await next.process.stop();
    });

  for (const isKilled of [false, true])
    it(`gets a new one where that may yet be deleted, and then is${isKilled ? ', to a process that was killed' : ''}`, async () => {
      const run = await running({}, SEED);
      await apply(run, { annotations: annotated({ 'delete-protection': 'off' }) });
      run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'late-commit', ms: MINUTES, count: 1 }]);
      go(run.cluster, ON_B);
      await run.cluster.quiet(4_000);
      assert.ok(run.cluster.calls().includes('DeleteLoadBalancer'));
      if (isKilled) run.process.kill();
      go(run.cluster, OWN);
      const next = isKilled ? { cluster: run.cluster, process: run.cluster.start() } : run;
      await run.cluster.quiet(4 * MINUTES);
      const [own, ...others] = loadBalancers(run).filter(({ id }) => !['lb-a', 'lb-b'].includes(id));
      assert.deepEqual([others, ingress(next), standing(next)[0]], [[], [{ ip: own?.address }], 'True']);
      await next.process.stop();
    });

  it('is not made to wait by the next process for what it began, while the other serves it', async () => {
    const run = await running({}, SEED);
    await apply(run, { ports: [80] });
    run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'timeout-before-commit', count: 1 }]);
    go(run.cluster, ON_B);
    await run.cluster.quiet(4_000);
    assert.equal(run.cluster.service()?.metadata.labels?.['portcullis.io/dirty'], 'leaving-own');
    run.process.kill();
    const next = run.cluster.start();
    run.cluster.kubernetes.patch(SERVICES, KEY, { spec: aService({ ports: [80, 81] }).spec });
    await run.cluster.quiet(10_000);
    assert.equal(loadBalancers(run).find(({ id }) => id === 'lb-b')?.listeners.length, 3);
    await next.stop();
  });
});
