import assert from 'node:assert/strict';
import type { EndpointSlice } from '../../../src/base/kubernetes-objects.ts';
import { aSlice, ENDPOINT_SLICES, NODES, objectKey, SERVICES, type Cluster } from '../../support/simulated-cluster.ts';
import { aNode } from '../../support/node.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  apply,
  events,
  loadBalancers,
  messageOf,
  callCount,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';
import { during } from '../../support/service-changes.ts';

type Act = (cluster: Cluster) => unknown;

const READY = ['True', 'EnsuredLoadBalancer'];
const service = aService();
/** Returns an EndpointSlice without the names of Nodes, as users may write. */
const nodeless = (slice: EndpointSlice): EndpointSlice => ({
  ...slice,
  endpoints: (slice.endpoints ?? []).map(({ addresses, conditions = {} }) => ({ addresses, conditions })),
});
const onNodes = (...names: readonly string[]) => aSlice(service, names);
const setSlice =
  (...slices: readonly EndpointSlice[]): Act =>
  ({ kubernetes }) =>
    kubernetes.put(ENDPOINT_SLICES, { ...onNodes(), endpoints: slices.flatMap(({ endpoints = [] }) => endpoints) });
/** Adds a Node of a machine outside of this cloud. */
const addForeign =
  (name: string): Act =>
  ({ kubernetes }) =>
    kubernetes.put(NODES, aNode(name, { spec: { providerID: `k3s://${name}` } }));
const removeNodes =
  (...names: readonly string[]): Act =>
  ({ kubernetes }) =>
    names.forEach((name) => kubernetes.delete(NODES, objectKey(name)));
/** Replaces a Node by a machine outside of this cloud with the same name. */
const replaceNode =
  (name: string): Act =>
  async (cluster) => {
    removeNodes(name)(cluster);
    await cluster.quiet();
    addForeign(name)(cluster);
  };
const nothing: Act = () => undefined;

const servers = (run: Running): readonly string[] =>
  (loadBalancers(run)[0]?.serverGroups[0]?.backends ?? []).map(({ serverId }) => serverId);

interface Step {
  readonly act: Act;
  readonly servers: readonly string[];
  /** Message about the skipped backends. Undefined if none is skipped. */
  readonly skipped?: RegExp;
}
interface Row {
  readonly policy?: 'Local';
  /** Runs before the Service is created. */
  readonly before?: Act;
  readonly steps: readonly Step[];
}

const NO_NODE = /endpoints without a Node, .*10\.244\.0\.1, 10\.244\.0\.2/;
const ROWS: Readonly<Record<string, Row>> = {
  'endpoints name no Node': {
    ...{ policy: 'Local', before: setSlice(onNodes('n1', 'n2')) },
    steps: [
      { act: setSlice(nodeless(onNodes('n1', 'n2'))), servers: ['i-1', 'i-2'], skipped: NO_NODE },
      { act: setSlice(onNodes('n2')), servers: ['i-2'] },
    ],
  },
  'some endpoints name no Node': {
    ...{ policy: 'Local', before: setSlice(onNodes('n1', 'n2')) },
    steps: [
      {
        act: setSlice(onNodes('n2', 'n3'), nodeless(aPodSlice(service, [7]))),
        servers: ['i-2', 'i-3'],
        skipped: /without a Node/,
      },
    ],
  },
  'some of its pods are on a Node of another cloud': {
    ...{ policy: 'Local', before: setSlice(onNodes('n1')) },
    steps: [
      { act: addForeign('n9'), servers: ['i-1'] },
      { act: setSlice(onNodes('n1', 'n9')), servers: ['i-1'] },
      { act: setSlice(onNodes('n9')), servers: ['i-1'], skipped: /n9/ },
      { act: setSlice(onNodes('n2', 'n9')), servers: ['i-2'] },
    ],
  },
  'a Node of another cloud was never a backend': {
    steps: [{ act: addForeign('n9'), servers: ['i-1', 'i-2', 'i-3'] }],
  },
  'a Node of another cloud replaces a backend': {
    steps: [{ act: replaceNode('n3'), servers: ['i-1', 'i-2'] }],
  },
  'the only Node is of another cloud': {
    before: async (cluster) => {
      removeNodes('n1', 'n2', 'n3')(cluster);
      addForeign('n9')(cluster);
    },
    steps: [{ act: nothing, servers: [], skipped: /n9 \(k3s:\/\/n9\).*service\.alibabacloud\.com\/exclude-node/ }],
  },
};

/** A backend with an unknown instance must not remove the other backends of a Service. */
describe('a Service with backends whose instance is unknown', () => {
  for (const [what, { policy = 'Cluster', before = nothing, steps }] of Object.entries(ROWS))
    it(`has only the backends whose instance is known if ${what}`, async () => {
      const run = await running();
      await before(run.cluster);
      await run.cluster.quiet();
      const creationTimestamp = new Date(run.cluster.clock.now()).toISOString();
      run.cluster.kubernetes.put(SERVICES, {
        ...service,
        metadata: { ...service.metadata, creationTimestamp },
        spec: { ...service.spec, externalTrafficPolicy: policy },
      });
      await run.cluster.quiet();
      const messages: string[] = [];
      for (const { act, servers: expected, skipped } of steps) {
        await act(run.cluster);
        await run.cluster.quiet();
        assert.deepEqual(servers(run), expected);
        assert.deepEqual(statusAndReason(run), skipped ? ['False', 'InvalidBackend'] : READY);
        if (skipped !== undefined) assert.match(messageOf(run), skipped);
        if (skipped !== undefined) messages.push(messageOf(run));
        assert.deepEqual(events(run, 'SkipSyncBackends'), messages);
      }
      await run.process.stop();
    });

  it('costs no call after a restart', async () => {
    const run = await running();
    addForeign('n9')(run.cluster);
    await apply(run);
    const [since, message] = [callCount(run), messageOf(run)];
    const next = await during(run, 'stopped', () => undefined);
    await run.cluster.quiet();
    assert.deepEqual([run.cluster.calls(since), messageOf(run)], [[], message]);
    await next.process.stop();
  });

  it('keeps the backends that it has if the instance of no Node is known', async () => {
    const run = await running();
    await apply(run);
    const next = await during(run, 'stopped', () =>
      ['n1', 'n2', 'n3'].forEach((name) => addForeign(name)(run.cluster)),
    );
    await run.cluster.quiet();
    assert.deepEqual([servers(run), statusAndReason(run)[0]], [['i-1', 'i-2', 'i-3'], 'False']);
    await next.process.stop();
  });

  it('is ready if its pods are backends themselves', async () => {
    const run = await running({}, { networkInterfaces: interfacesOf(1) });
    addForeign('n9')(run.cluster);
    setSlice(aPodSlice(service, [1]))(run.cluster);
    await apply(run, { annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
    assert.deepEqual([statusAndReason(run), events(run, 'SkipSyncBackends')], [READY, []]);
    await run.process.stop();
  });
});
