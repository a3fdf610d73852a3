import type { Node } from '../../../../src/base/kubernetes-objects.ts';
import type { History, Invariant, Stored } from '../moment.ts';
import { isOurs } from '../ownership.ts';

/** Returns the times at which an answer to a query by id lacked the instance of a Node. */
function absences(history: History, at: number, instanceId: string): readonly number[] {
  return history.slice(0, at).flatMap((moment) => {
    if (moment.kind !== 'ended' || !isOurs(moment.call) || moment.call.outcome !== 'OK') return [];
    const { action, missing = [], finished = '' } = moment.call;
    return action === 'DescribeInstances' && missing.includes(instanceId) ? [Date.parse(finished)] : [];
  });
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;

function violationOf(
  history: History,
  at: number,
  { before, node, atMs }: Stored,
  intervalMs: number,
): string | undefined {
  const object = before as Node;
  if (isReady(object)) return 'it was ready';
  if (node?.hasInstance === true) return 'its instance was there';
  const instanceId = /(?:^|[./])(i-[a-z0-9]+)$/.exec(object.spec?.providerID ?? '')?.[1] ?? '';
  const times = absences(history, at, instanceId);
  const isProven = times.some((first) => times.some((second) => second - first >= intervalMs && second <= atMs));
  return isProven ? undefined : `no two lookups at least ${intervalMs} ms apart found its instance missing`;
}

/** The deletion of a Node evicts its pods, so it needs proof that the instance is gone. */
export const nodeDeleteProof: Invariant = {
  name: 'NodeDeleteProof',
  statement: 'a Node is deleted only if it is not ready and two lookups by id found no instance',
  check: (history, { evaluated, removalGraceMs }) =>
    history.flatMap((moment, at) => {
      if (moment.kind !== 'stored' || moment.plural !== 'nodes' || moment.by !== 'controller') return [];
      if (moment.before === undefined || moment.after !== undefined) return [];
      evaluated();
      const violation = violationOf(history, at, moment, removalGraceMs / 2);
      return violation === undefined ? [] : [{ at, found: `the Node ${moment.key} was deleted, but ${violation}` }];
    }),
};
