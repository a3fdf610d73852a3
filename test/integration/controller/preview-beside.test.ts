import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import { preview } from '../../support/preview.ts';
import { annotated, apply, changes, now, patch, running, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const PORTS = [80, 443];
const KEY = keyOf(aService());
const OVERRIDING = { 'force-override-listeners': 'true' };
/** People have one of the Service's ports on `lb-b`, and nothing on the others. */
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1' },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners: [{ port: 443, protocol: 'tcp' }] },
    { id: 'lb-c', name: 'c', address: '47.1.1.3' },
    { id: 'lb-api', name: 'api', address: '47.1.1.4', tags: { 'ack.aliyun.com': 'c1' } },
  ],
};
const REFUSED = { effect: 'refuse', code: 'InvalidParameter', count: 'forever' } as const;

const slice = ({ cluster }: Running, node: string): void => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService({ ports: PORTS }), [node]));
};

/** A Service in Local mode whose pods are on the first Node, with a load balancer of its own. */
async function served(seed: object = SEED): Promise<Running> {
  const run = await running({ controllers: ['service', 'inventory'] }, seed);
  const service = aService({ ports: PORTS });
  slice(run, 'n1');
  run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
  await run.cluster.quiet();
  return run;
}

const name = ({ cluster }: Running, id: string): void => {
  cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: annotated({ ...OVERRIDING, id }) } });
};
/** The documented way to another load balancer. */
function goOver(run: Running, id: string): void {
  run.cluster.kubernetes.patch(SERVICES, KEY, { status: { loadBalancer: null } });
  name(run, id);
}

/** What happens to a Service that is served by its own while nobody leads, after what happened before. */
interface Told {
  readonly before?: (run: Running) => void;
  readonly meanwhile: (run: Running) => void;
  /** How many actions there are, and how many of them delete a load balancer. */
  readonly planned: readonly [actions: number, deletions: number];
}

const CASES: Readonly<Record<string, Told>> = {
  'has one of its ports alone on the load balancer that it goes over to': {
    before: (run) => goOver(run, 'lb-b'),
    meanwhile: () => undefined,
    planned: [0, 0],
  },
  'has one of its ports alone there, and whose pods have moved': {
    before: (run) => goOver(run, 'lb-b'),
    meanwhile: (run) => slice(run, 'n2'),
    planned: [6, 0],
  },
  'goes over to one that has room for all of it': {
    meanwhile: (run) => goOver(run, 'lb-c'),
    planned: [9, 1],
  },
  'goes over to one that has not': { meanwhile: (run) => goOver(run, 'lb-b'), planned: [4, 0] },
  'asks for another in vain, and whose pods have moved': {
    meanwhile: (run) => {
      name(run, 'lb-c');
      slice(run, 'n2');
    },
    planned: [4, 0],
  },
  'is refused another that is the API server’s, and whose pods have moved': {
    meanwhile: (run) => {
      name(run, 'lb-api');
      slice(run, 'n2');
    },
    planned: [4, 0],
  },
  'is refused that, says no address any more, and whose pods have moved': {
    meanwhile: (run) => {
      goOver(run, 'lb-api');
      slice(run, 'n2');
    },
    planned: [4, 0],
  },
  'is refused that while two serve it, and whose pods have moved': {
    before: (run) => goOver(run, 'lb-b'),
    meanwhile: (run) => {
      name(run, 'lb-api');
      slice(run, 'n2');
    },
    planned: [6, 0],
  },
};

describe('a plan for a Service that has its own load balancer, and names another', () => {
  for (const [what, { before, meanwhile, planned }] of Object.entries(CASES))
    it(`names what the controller does, where it ${what}`, async () => {
      const run = await served();
      before?.(run);
      await run.cluster.quiet(10 * 60_000);
      await run.process.stop();
      meanwhile(run);
      const { actions } = await preview(run);
      const deletions = actions.filter((action) => action.startsWith('delete load balancer'));
      assert.deepEqual([actions.length, deletions.length], planned);
      const since = now(run);
      const next = run.cluster.start({ controllers: ['service', 'inventory'] });
      await run.cluster.quiet(10 * 60_000);
      assert.equal(changes(run, since).length, actions.length);
      await next.stop();
    });

  it('names first what is left to make room for one more, where it was begun on two', async () => {
    const ids = ['a', 'b', 'c'].map((letter) => `lb-bp1${letter.repeat(20)}`);
    const [first = '', second = '', third = ''] = ids;
    const run = await running({}, { loadBalancers: ids.map((id, at) => ({ id, address: `47.1.2.${String(at)}` })) });
    run.cluster.simulator.faults([{ action: 'CreateLoadBalancerTCPListener', ...REFUSED }]);
    await apply(run, { ports: PORTS, annotations: annotated({ ...OVERRIDING, id: first }) });
    await patch(run, { metadata: { annotations: annotated({ id: second }) } });
    run.cluster.simulator.clearFaults();
    await run.process.stop();
    name(run, third);
    const { actions } = await preview(run);
    const since = now(run);
    const next = run.cluster.start();
    await run.cluster.quiet(10 * 60_000);
    assert.match(actions[0] ?? '', /^delete server group/);
    assert.match(changes(run, since)[0] ?? '', /^DeleteVServerGroup/);
    assert.equal(changes(run, since).length, actions.length);
    await next.stop();
  });

  it('names nothing but what is kept up, where there is no room for one more beside two that serve it', async () => {
    const [partly = '', named = ''] = ['b', 'c'].map((letter) => `lb-bp1${letter.repeat(20)}`);
    const [, people] = SEED.loadBalancers;
    const more = [
      { ...people, id: partly },
      { id: named, address: '47.1.1.9' },
    ];
    const run = await served({ loadBalancers: more });
    goOver(run, partly);
    await run.cluster.quiet(10 * 60_000);
    await run.process.stop();
    goOver(run, named);
    slice(run, 'n2');
    const { actions } = await preview(run);
    const since = now(run);
    const next = run.cluster.start({ controllers: ['service', 'inventory'] });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([actions.length, changes(run, since).length], [6, 6]);
    await next.stop();
  });
});
