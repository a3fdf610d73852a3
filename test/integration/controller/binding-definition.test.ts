import assert from 'node:assert/strict';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { bindingsOf, KINDS, READY, recordsOf, SEED, start } from '../../support/bindings.ts';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { AN_AUDIT_MS, aSlice, ENDPOINT_SLICES, keyOf, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import { PODS, type Service } from '../../../src/base/kubernetes-objects.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
  apply,
  changes,
  events,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const SERVICE = aService();
const KEY = keyOf(SERVICE);
const MINUTES = 60_000;
/** Milliseconds within which waiting Services must be synced, after any number of failures. */
const SOON = 10_000;

const GATE = 'service.readiness.alibabacloud.com/web';
/** Returns pod `pod-<n>`, whose only missing condition is the load balancer's readiness gate. */
const aPod = (n: number): object => ({
  metadata: { name: `pod-${n}`, namespace: 'shop', uid: `pod-${n}` },
  spec: { containers: [], readinessGates: [{ conditionType: GATE }] },
  status: { conditions: [{ type: 'ContainersReady', status: 'True' }] },
});

const podsOn = ({ cluster }: Running, ...nodes: readonly string[]): void => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(SERVICE, nodes));
};

/** Returns the backend instances of Service `web`. */
const backends = (run: Running): readonly string[] =>
  loadBalancers(run)
    .flatMap(({ serverGroups }) => serverGroups)
    .flatMap((group) => group.backends.map(({ serverId }) => serverId))
    .toSorted();

/** Returns a cluster without the definition of bindings. It serves Service `web` in Local mode. */
async function withoutDefinition(annotations: Readonly<Record<string, string>>): Promise<Running> {
  const run = await running({}, SEED);
  podsOn(run, 'n1');
  const service = aService({ annotations });
  run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
  await run.cluster.quiet();
  assert.deepEqual([statusAndReason(run), backends(run)], [READY, ['i-1']]);
  run.cluster.kubernetes.unserve(LOAD_BALANCER_BINDINGS);
  await run.cluster.quiet(30 * MINUTES);
  return run;
}

const hasFinalizer = (service: Service | undefined): boolean =>
  service?.metadata.finalizers?.includes('service.k8s.alibaba/resources') === true;

const install = async ({ cluster }: Running): Promise<void> => {
  cluster.kubernetes.serve(LOAD_BALANCER_BINDINGS);
  await cluster.quiet(SOON);
};

/** A user or an upgrade can delete the CustomResourceDefinition of bindings, but Services must keep their load balancers and backends. */
describe('a Service in a cluster without the definition of bindings', () => {
  for (const [what, annotations] of Object.entries(KINDS))
    describe(`with ${what}`, () => {
      it('stays unchanged with an event, and gets its binding soon after the definition returns', async () => {
        const run = await withoutDefinition(annotations);
        assert.deepEqual(
          changes(run, 0).filter((action) => action.startsWith('Delete')),
          [],
        );
        const since = callCount(run);
        await patch(run, { spec: { ports: [{ port: 81, targetPort: 8080, nodePort: 30081 }] } });
        await run.cluster.quiet(30 * MINUTES);
        assert.deepEqual([changes(run, since), bindingsOf(run), statusAndReason(run)[0]], [[], [], 'False']);
        assert.match(events(run, 'FailedUpdateBinding').at(-1) ?? '', /loadbalancerbindings\.portcullis\.io/);
        await install(run);
        assert.deepEqual([statusAndReason(run), recordsOf(run).length], [READY, 1]);
        await run.process.stop();
      });

      it('reports that its load balancer was deleted', async () => {
        const run = await withoutDefinition(annotations);
        const [published] = run.cluster.service()?.status?.loadBalancer?.ingress ?? [];
        const id = loadBalancers(run).find(({ address }) => address === published?.ip)?.id ?? '';
        run.cluster.simulator.seed({ remove: [id] });
        await run.cluster.quiet(AN_AUDIT_MS);
        assert.deepEqual(statusAndReason(run), ['False', 'LoadBalancerNotFound']);
        assert.match(events(run, 'SyncLoadBalancerFailed').at(-1) ?? '', /no load balancer with address/);
        assert.deepEqual(bindingsOf(run), []);
        await run.process.stop();
      });

      it('has the backends of its endpoints', async () => {
        const run = await withoutDefinition(annotations);
        for (const nodes of [['n1', 'n2'], ['n2'], ['n2', 'n3']]) {
          podsOn(run, ...nodes);
          await run.cluster.quiet();
          assert.deepEqual(
            backends(run),
            nodes.map((node) => node.replace('n', 'i-')),
          );
        }
        assert.deepEqual(bindingsOf(run), []);
        const since = callCount(run);
        await install(run);
        assert.deepEqual([changes(run, since), statusAndReason(run), recordsOf(run).length], [[], READY, 1]);
        await run.process.stop();
      });

      it('keeps its resources when it is deleted, and is cleaned up after the definition returns', async () => {
        const run = await withoutDefinition(annotations);
        const since = callCount(run);
        run.cluster.kubernetes.delete(SERVICES, KEY);
        await run.cluster.quiet(30 * MINUTES);
        assert.deepEqual([changes(run, since), run.cluster.service() === undefined], [[], false]);
        await install(run);
        await run.cluster.quiet();
        assert.deepEqual([run.cluster.service(), bindingsOf(run)], [undefined, []]);
        await run.process.stop();
      });
    });

  const forgeries: Readonly<Record<string, ServiceInput>> = {
    'the annotation, the label and the status name no load balancer': {},
    'the annotation and the label name another load balancer': {
      annotations: annotated({ id: 'lb-other' }),
      labels: { [ID_LABEL]: 'lb-other' },
    },
  };
  for (const [what, { annotations, labels }] of Object.entries(forgeries))
    it(`keeps its finalizer when it is deleted after a restart, if ${what}`, async () => {
      const run = await running({}, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run, { annotations: KINDS['a user-managed load balancer'] });
      const bindings = bindingsOf(run);
      const served = cloudPicture(run.cluster.simulator);
      run.cluster.kubernetes.unserve(LOAD_BALANCER_BINDINGS);
      await run.process.stop();
      const { name, namespace, finalizers } = run.cluster.service()?.metadata ?? {};
      run.cluster.kubernetes.put(SERVICES, {
        ...SERVICE,
        metadata: { name, namespace, finalizers, annotations, labels },
      });
      run.cluster.kubernetes.delete(SERVICES, KEY);
      const next = start(run);
      await run.cluster.quiet(30 * MINUTES);
      assert.deepEqual([cloudPicture(run.cluster.simulator), hasFinalizer(run.cluster.service())], [served, true]);
      assert.match(events(run, 'FailedUpdateBinding').at(-1) ?? '', /loadbalancerbindings\.portcullis\.io/);
      for (const binding of bindings) run.cluster.kubernetes.put(LOAD_BALANCER_BINDINGS, binding);
      await install(next);
      await run.cluster.quiet();
      assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
      await next.process.stop();
    });

  it('has the backends of its endpoints while its other changes wait', async () => {
    const run = await withoutDefinition({});
    await patch(run, { metadata: { annotations: annotated({ name: 'shop' }) } });
    podsOn(run, 'n1', 'n3');
    await run.cluster.quiet();
    assert.deepEqual([backends(run), loadBalancers(run).some(({ name }) => name === 'shop')], [['i-1', 'i-3'], false]);
    await install(run);
    assert.deepEqual([statusAndReason(run), loadBalancers(run).some(({ name }) => name === 'shop')], [READY, true]);
    await run.process.stop();
  });

  const INVALID = annotated({ bandwidth: 'much' });
  const UNREADABLE = { 'service.beta.kubernetes.io/backend-type': 'pods' };
  const DENIED: Readonly<Record<string, () => Promise<Running>>> = {
    'while it is served': async () => {
      const run = await withoutDefinition({});
      await patch(run, { metadata: { annotations: UNREADABLE } });
      return run;
    },
    'while it is served, and the controller restarts': async () => {
      const run = await withoutDefinition({});
      await run.process.stop();
      await patch(run, { metadata: { annotations: UNREADABLE } });
      return start(run);
    },
    'before it is served': async () => {
      const run = await running({}, SEED);
      run.cluster.kubernetes.unserve(LOAD_BALANCER_BINDINGS);
      const { metadata, ...service } = aService({ annotations: INVALID });
      const finalizers = ['service.k8s.alibaba/resources'];
      run.cluster.kubernetes.put(SERVICES, { ...service, metadata: { ...metadata, finalizers } });
      return run;
    },
  };
  for (const [when, deny] of Object.entries(DENIED))
    it(`shows in its condition and in an event why it is denied ${when}`, async () => {
      const run = await deny();
      await run.cluster.quiet(30 * MINUTES);
      assert.deepEqual(statusAndReason(run), ['False', 'Invalid']);
      assert.match(messageOf(run), /backend-type|bandwidth/);
      assert.match(events(run, 'SyncLoadBalancerFailed').join(), /backend-type|bandwidth/);
      await install(run);
      await patch(run, { metadata: { annotations: null } });
      await run.cluster.quiet();
      assert.deepEqual([statusAndReason(run), recordsOf(run).length], [READY, 1]);
      await run.process.stop();
    });

  it('sets the readiness gates of its new pods', async () => {
    const run = await running({}, { ...SEED, networkInterfaces: interfacesOf(2) });
    const service = aService({ annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
    const start = (pods: readonly number[]): void => {
      for (const pod of pods) run.cluster.kubernetes.put(PODS, aPod(pod));
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, pods));
    };
    const registered = (pod: number) =>
      run.cluster.kubernetes
        .get(PODS, objectKey(`pod-${pod}`, 'shop'))
        ?.status?.conditions?.find(({ type }) => type === GATE)?.status;
    start([1]);
    run.cluster.kubernetes.put(SERVICES, service);
    await run.cluster.quiet();
    assert.equal(registered(1), 'True');
    run.cluster.kubernetes.unserve(LOAD_BALANCER_BINDINGS);
    await run.cluster.quiet(30 * MINUTES);
    start([1, 2]);
    await run.cluster.quiet(SOON);
    assert.deepEqual([registered(1), registered(2)], ['True', 'True']);
    await run.process.stop();
  });
});
