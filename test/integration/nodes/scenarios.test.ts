import assert from 'node:assert/strict';
import { join } from 'node:path';
import { goldenSections } from '../../support/golden-sections.ts';
import { startNodeCluster, type NodeCluster } from '../../support/node-world/node-cluster.ts';
import { play, type Played } from '../../support/node-world/scenario-run.ts';
import type { Scenarios } from '../../support/node-world/scenario.ts';
import { ADDRESSES } from './scenarios/addresses.ts';
import { DUAL_STACK } from './scenarios/dual-stack.ts';
import { IDENTITY } from './scenarios/identity.ts';
import { KINDS } from './scenarios/node-kinds.ts';
import { LABELS } from './scenarios/labels.ts';
import { LIFECYCLE } from './scenarios/lifecycle.ts';
import { REGISTRATION } from './scenarios/registration.ts';
import { ROUTES } from './scenarios/routes.ts';
import { TAINTS } from './scenarios/taints.ts';
import { EDGE_CASES } from './scenarios/edge-cases.ts';

/** The groups in a single-stack cluster. Each has a golden file of its name. */
const GROUPS: Readonly<Record<string, Scenarios>> = {
  registration: REGISTRATION,
  identity: IDENTITY,
  addresses: ADDRESSES,
  labels: LABELS,
  kinds: KINDS,
  taints: TAINTS,
  lifecycle: LIFECYCLE,
  routes: ROUTES,
  'edge-cases': EDGE_CASES,
};
/** Group in a dual-stack cluster, to which the first cluster is changed at the end. */
const LAST: Readonly<Record<string, Scenarios>> = { 'dual-stack': DUAL_STACK };
/** The number of scenarios in parallel. They mostly wait for the API server and kube-controller-manager. */
const SIDE_BY_SIDE = 12;

type Ends = ReadonlyMap<string, PromiseWithResolvers<Played>>;

/** Plays groups of scenarios, some of them in parallel. */
async function playAll(cluster: NodeCluster, groups: Readonly<Record<string, Scenarios>>, ends: Ends): Promise<void> {
  const waiting = Object.values(groups).flatMap((group) => Object.entries(group));
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [title, scenario] = next;
      const end = ends.get(title);
      await play(cluster, title, scenario).then(end?.resolve, end?.reject);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
}

/** Runs on a real API server with kube-controller-manager, because both write Nodes at the same time as the controller. */
describe('Nodes and routes in a cluster whose kube-controller-manager allocates ranges', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  const all = { ...GROUPS, ...LAST };
  const sentences = Object.values(all).flatMap((scenarios) => Object.keys(scenarios));
  const ends: Ends = new Map(sentences.map((title) => [title, Promise.withResolvers<Played>()]));
  let playing: Promise<void>;

  before(async () => {
    const cluster = resources.use(await startNodeCluster());
    for (const { promise } of ends.values()) promise.catch(() => undefined);
    playing = playAll(cluster, GROUPS, ends).then(async () => {
      await cluster.dualStack();
      await playAll(cluster, LAST, ends);
    });
  });
  after(async () => {
    await playing;
    await resources.disposeAsync();
  });

  for (const [group, scenarios] of Object.entries(all)) {
    describe(group, () => {
      const golden = goldenSections(join(import.meta.dirname, 'golden', `${group}.txt`));
      for (const title of Object.keys(scenarios)) {
        it(title, async () => golden.expect(title, (await ends.get(title)?.promise)?.text ?? ''));
      }
      it('has no other section in its golden file', () => golden.end());
    });
  }

  // Tests of a suite run before its nested suites, and this test must run last.
  describe('after all scenarios', () => {
    it('every invariant of Nodes and routes is evaluated at least once', async () => {
      const evaluations = new Map<string, number>();
      for (const { promise } of ends.values())
        for (const [name, count] of (await promise).evaluations)
          evaluations.set(name, (evaluations.get(name) ?? 0) + count);
      for (const name of [
        'NodeTaints',
        'NodeDeleteProof',
        'RouteScope',
        'DeletionDeferred',
        'OneRouteWriterPerVPC',
        'NoOrphan',
        'ThrottleWindow',
      ])
        assert.ok((evaluations.get(name) ?? 0) > 0, `${name} was never evaluated`);
    });
  });
});
