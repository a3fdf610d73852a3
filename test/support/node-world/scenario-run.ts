import assert from 'node:assert/strict';
import { covers, parseCidr } from '../../../src/node/cidr.ts';
import { isExcludedNode } from '../../../src/node/kind.ts';
import { NETWORK_UNAVAILABLE, UNINITIALIZED } from '../../../src/node/taints.ts';
import { keyOf, NODES, type Node } from '../../../src/base/kubernetes-objects.ts';
import { settingsOf } from '../controller-settings.ts';
import { evaluateHistory, USUAL } from '../invariants/history-check.ts';
import type { History } from '../invariants/moment.ts';
import type { NodeCluster } from './node-cluster.ts';
import { endReport, markOf, stepReport, wordsOf } from './report.ts';
import type { Scenario } from './scenario.ts';
import { take } from './steps.ts';
import { World } from './world.ts';

const never = new AbortController().signal;

/** The result of a scenario. */
export interface Played {
  /** The report: each step with its calls, writes and events, and the final Nodes and routes. */
  readonly text: string;
  /** The number of evaluations of each invariant, by its name. */
  readonly evaluations: ReadonlyMap<string, number>;
}

/** Plays a scenario. Rejects if an invariant was violated. The test compares the report with a golden file. */
export async function play(cluster: NodeCluster, title: string, scenario: Scenario): Promise<Played> {
  await using world = new World(cluster, title, scenario);
  if (scenario.isUnattended !== true) world.start();
  const lines: string[] = [];
  for (const step of scenario.steps) {
    const since = markOf(world);
    await take(world, cluster, step);
    lines.push(...stepReport(world, step, since, wordsOf(world)));
  }
  const nodes = await Promise.all(world.nodes.map((node) => cluster.user.get(NODES, keyOf(node), never)));
  lines.push(...endReport(world, nodes, wordsOf(world)));
  const clusterCidrs = routedRanges(scenario);
  const { violations, evaluations } = evaluateHistory(asRouted(world.recorder.history, clusterCidrs), {
    ...USUAL,
    clusterCidrs,
  });
  assert.deepEqual([...violations, ...gapsOf(world, clusterCidrs)], []);
  return { text: [`# ${title}`, ...lines].join('\n'), evaluations };
}

function routedRanges({ controller = {} }: Scenario): readonly string[] {
  const { controllers, routes } = settingsOf(controller);
  return controllers.has('route') ? (routes?.clusterCidrs ?? []).map(({ text }) => text) : [];
}

/** Returns the history without missing routes outside the ranges for which the controller creates routes. */
function asRouted(history: History, clusterCidrs: readonly string[]): History {
  const ranges = clusterCidrs.flatMap((range) => parseCidr(range) ?? []);
  const isRouted = (text: string): boolean => {
    const cidr = parseCidr(text);
    return cidr !== undefined && ranges.some((range) => covers(range, cidr));
  };
  return history.map((moment) =>
    moment.kind === 'stored' && moment.node !== undefined
      ? { ...moment, node: { ...moment.node, unrouted: moment.node.unrouted.filter(isRouted) } }
      : moment,
  );
}

const keysOf = ({ spec }: Node): readonly string[] => (spec?.taints ?? []).map(({ key }) => key);

const isReachable = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'NetworkUnavailable' && value === 'False') ?? false;

/**
 * Returns the Nodes that accepted pods before their route existed. Until the route exists, every version of a Node must have the taint
 * `uninitialized` or `network-unavailable`.
 */
function gapsOf({ api, suffix }: World, clusterCidrs: readonly string[]): readonly string[] {
  if (clusterCidrs.length === 0) return [];
  return [...api.versions.values()].flatMap((seen) => {
    if (!keysOf(seen[0]!).includes(UNINITIALIZED)) return [];
    const open = seen.find((node) => isReachable(node) || !isClosed(node));
    if (open === undefined || isReachable(open) || isExcludedNode(open) || isOfAnotherKind(open)) return [];
    return [`${open.metadata.name.replace(suffix, '')} was open to pods without a route`];
  });
}

const isClosed = (node: Node): boolean =>
  keysOf(node).some((key) => key === UNINITIALIZED || key === NETWORK_UNAVAILABLE);

/** Returns whether the machine of a Node is no ECS instance, so that the Node gets no route. */
const isOfAnotherKind = ({ metadata: { labels = {} } }: Node): boolean =>
  labels['type'] === 'virtual-kubelet' || labels['alibabacloud.com/lingjun-worker'] === 'true';
