import type { Node } from '../../../../src/objects.ts';
import type { History, Invariant, Stored } from '../moment.ts';
import { isOurs } from '../ownership.ts';

/** Milliseconds that two answers lie apart which both count. */
const INTERVAL_MS = 30_000;

/** When the instance of a Node was asked for by its id, each time with a complete answer. */
function lookUps(history: History, at: number, instanceId: string): readonly number[] {
  return history.slice(0, at).flatMap((moment) => {
    if (moment.kind !== 'ended' || !isOurs(moment.call) || moment.call.outcome !== 'OK') return [];
    const { action, parameters, finished = '' } = moment.call;
    const isAsked = action === 'DescribeInstances' && (parameters['InstanceIds'] ?? '').includes(`"${instanceId}"`);
    return isAsked ? [Date.parse(finished)] : [];
  });
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;

function faultOf(history: History, at: number, { before, node, atMs }: Stored): string | undefined {
  const object = before as Node;
  if (isReady(object)) return 'it was ready';
  if (node?.hasInstance === true) return 'its instance was there';
  const instanceId = /(?:^|[./])(i-[a-z0-9]+)$/.exec(object.spec?.providerID ?? '')?.[1] ?? '';
  const times = lookUps(history, at, instanceId);
  const isProven = times.some((first) => times.some((second) => second - first >= INTERVAL_MS && second <= atMs));
  return isProven ? undefined : 'it was not looked for twice, an interval apart';
}

export const nodeDeleteProof: Invariant = {
  name: 'NodeDeleteProof',
  says: 'a Node is deleted only when it is not ready and its instance was not found by its id, twice, an interval apart',
  check: (history, { judged }) =>
    history.flatMap((moment, at) => {
      if (moment.kind !== 'stored' || moment.plural !== 'nodes' || moment.by !== 'controller') return [];
      if (moment.before === undefined || moment.after !== undefined) return [];
      judged();
      const fault = faultOf(history, at, moment);
      return fault === undefined ? [] : [{ at, found: `the Node ${moment.key} was deleted, but ${fault}` }];
    }),
};
