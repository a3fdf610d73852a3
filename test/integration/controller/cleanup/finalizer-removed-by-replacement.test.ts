import assert from 'node:assert/strict';
import { cloudPicture } from '../../../support/cloud-picture.ts';
import {
  annotated,
  apply,
  changes,
  deleteBinding,
  events,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import type { ServiceInput } from '../../../support/service.ts';
import {
  during,
  FINALIZER,
  finalizersOf,
  ID_LABEL,
  remove,
  replace,
  STATES,
} from '../../../support/service-changes.ts';

const AN_HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 10 * 60_000;
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', tags: { cost: '7' }, listeners: [{ port: 22, protocol: 'tcp' }] },
    { id: 'lb-b', name: 'b', address: '47.1.1.2' },
  ],
};
const A = { id: 'lb-a', 'force-override-listeners': 'true' };
const B = { ...A, id: 'lb-b' };
const CLASS = 'service.beta.kubernetes.io/class';
const labelOf = ({ cluster }: Running) => cluster.service()?.metadata.labels?.[ID_LABEL];
const FORBIDDEN = {
  action: 'DescribeLoadBalancers',
  ...{ effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' },
};

/** kubectl replace and other tools remove the finalizer and the labels. The resources of the Service must still be deleted. */
describe('a Service with a new manifest that needs no load balancer', () => {
  interface Row {
    readonly served?: Readonly<Record<string, string>>;
    readonly manifests: readonly ServiceInput[];
  }
  const ROWS: Readonly<Record<string, Row>> = {
    'has type ClusterIP': { manifests: [{ type: 'ClusterIP' }] },
    'has type ClusterIP, on a user-managed load balancer': { served: annotated(A), manifests: [{ type: 'ClusterIP' }] },
    'loses the finalizer first and its type later': { manifests: [{}, { type: 'ClusterIP' }] },
    'names another controller': { manifests: [{ annotations: { [CLASS]: 'x' } }] },
  };
  for (const [what, { served = {}, manifests }] of Object.entries(ROWS))
    for (const [by, state] of Object.entries(STATES))
      it(`is cleaned up${by} if it ${what}`, async () => {
        const run = await running({}, SEED);
        const before = cloudPicture(run.cluster.simulator);
        await apply(run, { annotations: served });
        const next = await during(run, state, () => manifests.forEach((manifest) => replace(run, manifest)));
        await run.cluster.quiet(TEN_MINUTES_MS);
        assert.deepEqual([cloudPicture(run.cluster.simulator), finalizersOf(run)], [before, []]);
        assert.deepEqual([events(run, 'CleanLoadBalancer').length, run.cluster.binding()], [1, undefined]);
        await next.process.stop();
      });

  it('is cleaned up without a binding only after a user adds the finalizer again', async () => {
    const run = await running();
    await apply(run);
    const next = await during(run, 'stopped', () => {
      deleteBinding(run);
      replace(run, { type: 'ClusterIP' });
    });
    await run.cluster.quiet(AN_HOUR_MS);
    assert.equal(loadBalancers(run).length, 1);
    await patch(run, { metadata: { finalizers: [FINALIZER] } });
    await run.cluster.quiet(TEN_MINUTES_MS);
    assert.deepEqual([loadBalancers(run).length, finalizersOf(run)], [0, []]);
    await next.process.stop();
  });
});

describe('a Service whose new manifest lacks the finalizer and the labels', () => {
  interface Row {
    readonly served?: Readonly<Record<string, string>>;
    /** Runs between the sync and the replacement. */
    readonly before?: (run: Running) => Promise<void>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly reason?: string;
  }
  const HOSTNAME = { hostname: 'shop.example.com' };
  const EIP = { 'external-ip-type': 'eip' };
  const bindEip = async (run: Running): Promise<void> => {
    const eip = { address: '8.0.0.7', instanceId: labelOf(run) ?? '', instanceType: 'SlbInstance' as const };
    run.cluster.simulator.seed({ eips: [eip] });
    await run.cluster.quiet(TEN_MINUTES_MS);
  };
  const ROWS: Readonly<Record<string, Row>> = {
    'the manifest is otherwise the same': { annotations: {}, reason: 'EnsuredLoadBalancer' },
    'its annotation type is ignored': { annotations: { type: 'nlb' }, reason: 'EnsuredLoadBalancer' },
    'it has an invalid default weight': { annotations: { 'default-weight': 'x' }, reason: 'Invalid' },
    'it has an invalid scheduler': { annotations: { scheduler: 'fair' }, reason: 'Invalid' },
    'it names a user-managed load balancer': { annotations: B },
    'it names no load balancer': { served: A, annotations: {} },
    'it names another load balancer': { served: A, annotations: B },
    'it has a host name and names a user-managed load balancer': {
      served: HOSTNAME,
      annotations: { ...HOSTNAME, ...B },
    },
    'it has a host name and names another load balancer': {
      served: { ...HOSTNAME, ...A },
      annotations: { ...HOSTNAME, ...B },
    },
    'it has an EIP and names a user-managed load balancer': {
      served: EIP,
      before: bindEip,
      annotations: { ...EIP, ...B },
    },
    'it has an EIP and names another load balancer': {
      served: { ...EIP, ...A },
      before: bindEip,
      annotations: { ...EIP, ...B },
    },
  };
  for (const controllers of [['service'], ['service', 'inventory']] as const)
    describe(`(controllers: ${controllers.join(', ')})`, () => {
      for (const [what, row] of Object.entries(ROWS))
        for (const [by, state] of Object.entries(STATES))
          it(`gets the finalizer and the labels again${by} if ${what}`, async () => {
            const { served = {}, before, annotations, reason = 'LoadBalancerChangeNotSupported' } = row;
            const run = await running({ controllers }, SEED);
            const picture = cloudPicture(run.cluster.simulator);
            await apply(run, { annotations: annotated<string>(served) });
            await before?.(run);
            const [label, since] = [labelOf(run), callCount(run)];
            const replaced = () => replace(run, { annotations: annotated<string>(annotations) });
            const next = await during(run, state, replaced, { controllers });
            await run.cluster.quiet();
            assert.deepEqual([changes(run, since), statusAndReason(run)[1]], [[], reason]);
            assert.deepEqual([finalizersOf(run), labelOf(run)], [[FINALIZER], label]);
            await remove(run);
            assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [picture, undefined]);
            await next.process.stop();
          });
    });

  for (const [what, hasBinding] of Object.entries({
    'has a binding': true,
    'has no binding and names a load balancer': false,
  }))
    it(`gets the finalizer again while no read succeeds if it ${what}`, async () => {
      const run = await running({}, SEED);
      await apply(run, { annotations: annotated<string>(HOSTNAME) });
      const since = callCount(run);
      const next = await during(run, 'stopped', () => {
        if (!hasBinding) deleteBinding(run);
        replace(run, { annotations: annotated<string>(hasBinding ? HOSTNAME : { ...HOSTNAME, ...B }) });
        run.cluster.simulator.faults([FORBIDDEN]);
      });
      await run.cluster.quiet();
      assert.deepEqual([changes(run, since), finalizersOf(run)], [[], [FINALIZER]]);
      assert.equal(statusAndReason(run)[1], hasBinding ? 'EnsuredLoadBalancer' : 'Forbidden');
      await next.process.stop();
    });
});
