import { backendAddress } from '../clb/model/action.ts';
import {
  hasOwn,
  findGroup,
  groupReference,
  referenceTo,
  backendKey,
  type DesiredGroup,
} from '../clb/model/desired-and-observed-state.ts';
import type { Backend, VServerGroupWithBackends } from '../clb/model/server-group.ts';
import type { LoadBalancerPlan } from '../plan-command/load-balancer-plan.ts';
import { operationOn, type ResourceChange } from '../plan-command/resource-changes.ts';
import type { PictureNode, PicturePart, PictureState } from './picture.ts';

/** The maximum number of backends that a picture shows for a server group, and the same for skipped backends. */
const MOST_BACKENDS = 10;

/** The desired and the observed state of a server group. `desired` is undefined for an obsolete group, and `observed` for a missing group. */
export interface GroupPair {
  readonly reference: string;
  readonly desired?: DesiredGroup | undefined;
  readonly observed?: VServerGroupWithBackends | undefined;
}

/** Returns the server groups that a Service requests, followed by its obsolete groups. */
export function groupPairs({ desired, observed }: LoadBalancerPlan): readonly GroupPair[] {
  const wanted = desired.kind === 'present' ? desired.groups : [];
  const pairs = wanted.map((group): GroupPair => {
    const reference = groupReference(group);
    return { reference, desired: group, observed: findGroup(observed, reference) };
  });
  const further = observed.groups.filter(
    (group) => hasOwn(desired.owner, group) && pairs.every((pair) => pair.observed !== group),
  );
  return [...pairs, ...further.map((group) => ({ reference: referenceTo(observed, group), observed: group }))];
}

/** Returns the state of a resource. `change` is its last change in the plan. A missing resource without a change counts as blocked. */
export const stateOf = (change: ResourceChange | undefined, exists: boolean): PictureState =>
  change?.operation ?? (exists ? 'unchanged' : 'blocked');

function backendState(backend: Backend, { observed }: GroupPair, change: ResourceChange | undefined): PictureState {
  if (change !== undefined && change.operation !== 'change') return change.operation;
  const field = change?.fields.find((each) => each.field.startsWith(`backends[${backendAddress(backend)}].`));
  if (field !== undefined) return operationOn(field);
  const exists = observed?.backends.some((other) => backendKey(other) === backendKey(backend)) === true;
  return exists ? 'unchanged' : 'blocked';
}

/** Returns nodes for the backends of a group. Backends that change come first. */
function backendNodes(pair: GroupPair, key: string, change: ResourceChange | undefined): readonly PictureNode[] {
  const all = new Map(
    [...(pair.observed?.backends ?? []), ...(pair.desired?.backends ?? [])].map((each) => [backendKey(each), each]),
  );
  const nodes = [...all.values()].map((backend): PictureNode => ({
    key: `${key}/${backendKey(backend)}`,
    kind: 'backend',
    state: backendState(backend, pair, change),
    lines: [backendAddress(backend), `weight ${backend.weight}`],
  }));
  return nodes.toSorted((left, right) => Number(left.state === 'unchanged') - Number(right.state === 'unchanged'));
}

/** Returns the reasons why the controller skips backends. */
const skippedTexts = ({ missing = [], unreachable = [], unplaced }: Partial<DesiredGroup>): readonly string[] => [
  ...missing.map((address) => `pod ${address} has no network interface`),
  ...unreachable.map((address) => `pod ${address} is outside the VPC`),
  ...(unplaced?.nodes.map(({ name }) => `the instance of Node ${name} is unknown`) ?? []),
  ...(unplaced?.addresses.map((address) => `the Node of pod ${address} is unknown`) ?? []),
];

/** Returns the text that counts the items that a picture omits. Empty if the picture shows all. */
const restOf = ({ length }: readonly unknown[]): readonly string[] =>
  length > MOST_BACKENDS ? [`and ${length - MOST_BACKENDS} more`] : [];

const problem = (key: string, lines: readonly string[]): PictureNode => ({
  key,
  kind: 'problem',
  state: 'unchanged',
  lines,
});

/** Returns the nodes of a server group and its backends, and the edges from the group to the backends. */
export function groupPart(
  pair: GroupPair,
  key: string,
  change: ResourceChange | undefined,
): PicturePart & { readonly group: PictureNode } {
  const { reference, observed, desired } = pair;
  const group: PictureNode = {
    key,
    kind: 'server-group',
    state: stateOf(change, observed !== undefined),
    lines: ['server group', reference, ...(observed === undefined || observed.id === reference ? [] : [observed.id])],
  };
  const backends = backendNodes(pair, key, change);
  const skipped = skippedTexts(desired ?? {});
  const nodes = [
    ...backends.slice(0, MOST_BACKENDS),
    ...restOf(backends).map(
      (line) => ({ key: `${key}/more`, kind: 'backend', state: 'unchanged', lines: [line] }) as const,
    ),
    ...(backends.length > 0 ? [] : [problem(`${key}/none`, ['no backends'])]),
    ...(skipped.length === 0
      ? []
      : [problem(`${key}/skipped`, [...skipped.slice(0, MOST_BACKENDS), ...restOf(skipped)])]),
  ];
  const edges = nodes.map(({ key: to, kind }) => ({
    from: key,
    to,
    ...(kind === 'problem' ? { isDashed: true } : {}),
  }));
  return { group, nodes, edges };
}
