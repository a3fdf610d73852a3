import type { EndpointSlice, Service } from '../../../src/base/kubernetes-objects.ts';
import { CLOUD, MACHINES } from '../../../src/local/seed.ts';
import { BACKENDS } from './backends.ts';
import type { Console, Identity, LeftBehind } from './existing-controller.ts';
import { LISTENERS } from './listeners.ts';
import { OWNED } from './load-balancers.ts';
import { REUSED } from './reused.ts';

/** Namespace of the prepared Services of a sandbox. */
export const NAMESPACE = 'left-behind';

/** A kind of Service that the Alibaba Cloud Controller Manager synced, with the names of a sandbox's cluster and cloud. */
export interface SandboxKind {
  /** The title as a sentence. */
  readonly title: string;
  readonly name: string;
  readonly left: LeftBehind;
  /** Wraps a console for callers that use the names of the test bed. */
  readonly through: (console: Console) => Console;
}

type Replacement = readonly [pattern: RegExp, by: string];

/** Returns the replacements of test bed names for a sandbox, in which all kinds share one cluster. */
function replacementsFor(
  number: number,
  { name, namespace, clusterId }: Omit<Identity, 'uid'>,
): readonly Replacement[] {
  const [first, second] = CLOUD.vSwitches;
  return [
    [/\bvpc-1\b/g, CLOUD.vpcId],
    [/\bvsw-1\b/g, first.id],
    [/\bvsw-2\b/g, second.id],
    ...MACHINES.flatMap(({ instanceId, nodeName }, index): Replacement[] => [
      [new RegExp(`\\bi-${index + 1}\\b`, 'g'), instanceId],
      [new RegExp(`^n${index + 1}$`, 'g'), nodeName],
    ]),
    [/\bi-9\b/g, `i-left${number}`],
    [/\blb-made\b/g, `lb-left${number}`],
    [/\brsp-(hers|more)\b/g, `rsp-left${number}$1`],
    [/\b(cert|acl)-([12])\b/g, `$1-left${number}n$2`],
    [/\b10\.1\.1\.(\d)\b/g, '10.0.0.23$1'],
    [/\b10\.1\.0\.90\b/g, `10.0.0.${100 + number}`],
    [/\b10\.1\.0\./g, '10.0.0.'],
    [/\b10\.244\.0\./g, '10.64.1.'],
    [/\bweb\/shop\/c1\b/g, `${name}/${namespace}/${clusterId}`],
  ];
}

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns a copy with every text translated. */
function translated<Value>(value: Value, replacements: readonly Replacement[]): Value {
  const deep = (part: unknown): unknown => {
    if (typeof part === 'string') return replacements.reduce((text, [pattern, by]) => text.replace(pattern, by), part);
    if (Array.isArray(part)) return part.map(deep);
    if (!isPlain(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, deep(each)]));
  };
  return deep(value) as Value;
}

/** Returns a console that accepts the names of the test bed. */
const speaking = (console: Console, replacements: readonly Replacement[]): Console => ({
  ask: (action, parameters) => console.ask(action, translated(parameters, replacements)),
  simulator: { seed: (input) => console.simulator.seed(translated(input, replacements)) },
});

function atSandbox(left: LeftBehind, replacements: readonly Replacement[]): LeftBehind {
  const { slice, since, world, ...data } = left;
  return {
    ...translated(data, replacements),
    // The sandbox has its own two vSwitches.
    ...(world === undefined ? {} : { world: translated({ ...world, vSwitches: [] }, replacements) }),
    ...(slice === undefined
      ? {}
      : { slice: (service: Service): EndpointSlice => translated(slice(service), replacements) }),
    ...(since === undefined ? {} : { since }),
  };
}

/** Returns whether a kind can share a cluster: it has no settings, Nodes or pods that would affect other kinds. */
const canShareCluster = ({ settings, nodes, pods }: LeftBehind): boolean =>
  settings === undefined && nodes === undefined && pods === undefined;

/** Every kind of Service that can share a cluster. `test/take-over.ts prepare` creates all of them in a sandbox. */
export const SANDBOX_KINDS: readonly SandboxKind[] = Object.entries({ ...OWNED, ...LISTENERS, ...BACKENDS, ...REUSED })
  .filter(([, left]) => canShareCluster(left))
  .map(([title, left], index) => {
    const name = `kind-${String(index + 1).padStart(2, '0')}`;
    const identity = { name, namespace: NAMESPACE, clusterId: CLOUD.clusterId };
    const replacements = replacementsFor(index + 1, identity);
    const through = (console: Console): Console => speaking(console, replacements);
    return { title, name, left: atSandbox(left, replacements), through };
  });
