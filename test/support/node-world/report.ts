import { stateAt } from '../../../src/local/simulator/transition.ts';
import type { JournalEntry } from '../../../src/local/simulator/simulator.ts';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import type { EmittedEvent } from '../kubernetes-double.ts';
import type { Step } from './scenario.ts';
import type { AcceptedWrite } from './node-api.ts';
import type { World } from './world.ts';

/** The position of a scenario at the start of a step. */
export interface Mark {
  readonly calls: number;
  readonly writes: number;
  readonly eventCount: number;
}

export const markOf = ({ simulator, api, events: eventCount }: World): Mark => ({
  calls: simulator.journal().length,
  writes: api.writes.length,
  eventCount: eventCount.length,
});

/** A function that replaces assigned pod ranges and Node names with texts that are equal in every run. */
export type Words = (text: string) => string;

/** Returns the function for the Nodes of a scenario, including deleted Nodes. */
export function wordsOf(world: World): Words {
  const ranges = new Map<string, string>();
  for (const versions of world.api.versions.values()) {
    const { metadata, spec } = versions.at(-1)!;
    const name = metadata.name.replace(world.suffix, '');
    (spec?.podCIDRs ?? []).forEach((range, index) => {
      if (!world.assigned.has(range)) ranges.set(range, `${name}/${index}`);
    });
  }
  const longestFirst = [...ranges].sort(([left], [right]) => right.length - left.length);
  return (text) =>
    longestFirst
      .reduce((sum, [range, word]) => sum.replaceAll(range, word), text)
      .replaceAll(world.suffix, '')
      .replace(/, request [\w-]+/g, '');
}

/** The maximum number of routes that are listed individually. */
const MOST = 12;

const indented = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`    ${name}`, ...lines.map((line) => `      ${line}`)];

const unique = (lines: readonly string[]): readonly string[] => [...new Set(lines)].sort();

/** Returns a value as one line of YAML. */
function spelt(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spelt).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, field]) => `${key}: ${spelt(field)}`)
    .join(', ')}}`;
}

/** Returns the change of a step as the scenario states it, with times in seconds. */
function stepText(step: Step): string {
  return Object.entries(step)
    .map(
      ([key, setting]: [string, unknown]) =>
        `${key} ${typeof setting === 'number' ? `${setting / 1_000} s` : spelt(setting)}`,
    )
    .join(' ');
}

/** Returns the routes of a call, or else its parameters without their location. */
function callText({ action, parameters, outcome }: JournalEntry, words: Words): string {
  const routes = Object.keys(parameters)
    .filter((name) => /^RouteEntries\.\d+\.DstCidrBlock$/.test(name))
    .map((name) => {
      const field = (last: string): string => parameters[name.replace('DstCidrBlock', last)] ?? '';
      return words(`${field('RouteTableId')} ${parameters[name] ?? ''} → ${field('NextHop')}`);
    })
    .sort();
  const setting = Object.entries(parameters)
    .filter(([name]) => !/^(?:RegionId|RouteEntries\.|RouteEntryId|NetworkInterfaceId|NewNextHopType)/.test(name))
    .map(([name, value]) => words(`${name} ${value}`));
  const about = routes.length <= MOST ? routes : [`${routes.length} routes`];
  return [action, [...about, ...setting].join(', '), outcome === 'OK' ? '' : `(${outcome ?? 'no answer'})`]
    .filter((part) => part !== '')
    .join(' ');
}

/** Returns the changing calls of one product. The order of products is not reported, because interfaces are opened while routes are created. */
const changesOf = (calls: readonly JournalEntry[], product: string, words: Words): readonly string[] =>
  calls.filter((call) => call.kind !== 'read' && call.product === product).map((call) => callText(call, words));

/** Returns the fields and conditions of a patch. */
function fieldsOf({ verb, patch }: AcceptedWrite): {
  readonly names: readonly string[];
  readonly conditions: readonly string[];
} {
  if (verb === 'delete') return { names: ['deleted'], conditions: [] };
  const {
    metadata = {},
    spec = {},
    status = {},
  } = patch as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const { conditions = [], ...others } = status;
  const names = Object.keys({ ...metadata, ...spec, ...others }).filter(
    (name) => !['resourceVersion', 'uid'].includes(name),
  );
  const setting = conditions as readonly { readonly type: string; readonly status: string }[];
  return { names, conditions: setting.map(({ type, status: value }) => `${type} ${value}`) };
}

/** Returns the writes of each Node, with conditions in order. The grouping into writes is not reported. */
function writesOf({ api }: World, since: Mark): readonly string[] {
  const writes = api.writes.slice(since.writes);
  const keys = [...new Set(writes.map(({ key }) => key))].sort();
  return keys.map((key) => {
    const fields = writes.filter((write) => write.key === key).map(fieldsOf);
    const names = unique(fields.flatMap((each) => each.names));
    const conditions = [...new Set(fields.flatMap((each) => each.conditions))];
    return `${key}: ${[...names, ...conditions].join(', ')}`;
  });
}

const eventText = ({ target, type, reason, message }: EmittedEvent): string =>
  `${target.name} ${reason}${type === 'Normal' ? '' : `: ${message}`}`;

/** Returns the effects of a step: cloud calls, writes to the API server, and events. */
export function stepReport(world: World, step: Step, since: Mark, words: Words): readonly string[] {
  const calls = world.simulator.journal(since.calls).filter(({ userAgent }) => userAgent === 'portcullis');
  const reads = unique(calls.filter(({ kind }) => kind === 'read').map(({ action }) => action));
  const setting = (lines: readonly string[]): readonly string[] => unique(lines.map(words));
  const lines = [
    ...indented('reads', reads.length === 0 ? [] : [reads.join(', ')]),
    ...indented('changes', [...unique(changesOf(calls, 'Ecs', words)), ...changesOf(calls, 'Vpc', words)]),
    ...indented('writes', writesOf(world, since).map(words)),
    ...indented('tells', setting(world.events.slice(since.eventCount).map(eventText))),
  ];
  return [words(`  - ${stepText(step)}`), ...lines];
}

/** The labels that a kubelet sets itself. */
const OF_KUBELET = /^(?:beta\.)?kubernetes\.io\/(?:arch|os|hostname)$/;
/** Common labels of the simulated instances, which have the same type. */
const USUAL: Readonly<Record<string, string>> = {
  'node.kubernetes.io/instance-type': 'ecs.g7.large',
  'beta.kubernetes.io/instance-type': 'ecs.g7.large',
  'topology.kubernetes.io/zone': 'cn-hangzhou-a',
  'failure-domain.beta.kubernetes.io/zone': 'cn-hangzhou-a',
  'topology.kubernetes.io/region': 'cn-hangzhou',
  'failure-domain.beta.kubernetes.io/region': 'cn-hangzhou',
  'node.alibabacloud.com/instance-charge-type': 'PostPaid',
  'node.alibabacloud.com/spot-strategy': 'NoSpot',
};

function labelReport({ metadata: { labels = {} } }: Node): readonly string[] {
  const isUsual = Object.entries(USUAL).every(([key, value]) => labels[key] === value);
  const others = Object.entries(labels).filter(([key]) => !OF_KUBELET.test(key) && !(isUsual && key in USUAL));
  return [
    ...(isUsual ? ['    labelled as the usual instance'] : []),
    ...others.map(([key, value]) => `    label ${key}=${value}`).sort(),
  ];
}

function nodeReport(node: Node): readonly string[] {
  const { metadata, spec = {}, status = {} } = node;
  const network = status.conditions?.find(({ type }) => type === 'NetworkUnavailable');
  const taints = (spec.taints ?? []).filter(
    ({ key, effect }) => !(key.startsWith('node.kubernetes.io/') && effect === 'NoExecute'),
  );
  return [
    `  ${metadata.name}`,
    ...(spec.providerID === undefined ? [] : [`    is ${spec.providerID}`]),
    ...(status.addresses === undefined
      ? []
      : [`    at ${status.addresses.map(({ type, address }) => `${type} ${address}`).join(', ')}`]),
    ...(network === undefined
      ? []
      : [`    NetworkUnavailable ${network.status} ${network.reason ?? ''}: ${network.message ?? ''}`]),
    ...labelReport(node),
    ...taints
      .map(({ key, value, effect }) => `    taint ${key}${value === undefined ? '' : `=${value}`}:${effect}`)
      .sort(),
  ];
}

function tableReports(world: World, words: Words): readonly string[] {
  return world.simulator.world.routeTables
    .rows()
    .map(({ id, entries }) => ({ id, entries: [...entries.values()] }))
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .flatMap(({ id, entries }) => {
      const lines = entries
        .map((entry) => ({ ...entry, state: stateAt(entry.status, world.clock.now()) }))
        .filter(({ state, type }) => state !== 'gone' && type === 'Custom')
        .map(({ destination, nextHopType, nextHopId, state, description = '' }) =>
          words(
            `    ${destination} → ${nextHopType === 'Instance' ? '' : `${nextHopType} `}${nextHopId} ${state}${description === '' ? '' : ` "${description}"`}`,
          ),
        );
      return [`  ${id}`, ...summarised(lines.sort())];
    });
}

const summarised = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST ? lines : [...lines.slice(0, MOST), `    and ${lines.length - MOST} more`];

/** Returns the final state: the Nodes of the API server, and the route tables. */
export function endReport(world: World, all: readonly Node[], words: Words): readonly string[] {
  const nodes = all.toSorted(({ metadata: left }, { metadata: right }) => (left.name < right.name ? -1 : 1));
  return [...nodes.flatMap((node) => nodeReport(node).map(words)), ...tableReports(world, words)];
}
