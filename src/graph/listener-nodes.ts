import { forwardPortOf, type DesiredListener, type ObservedListener } from '../clb/model/listener.ts';
import { isOwnName } from '../clb/model/naming.ts';
import { listenerKey, managesListeners } from '../clb/model/desired-and-observed-state.ts';
import type { LoadBalancerPlan } from '../plan-command/load-balancer-plan.ts';
import type { ResourceChange } from '../plan-command/resource-changes.ts';
import type { PictureEdge, PictureNode, PicturePart } from './picture.ts';
import { stateOf, type GroupPair } from './server-group-nodes.ts';

/** The desired and the observed state of a listener. `desired` is undefined for a listener that the Service does not request. */
export interface ListenerPair {
  /** The port and protocol, such as `80/tcp`. */
  readonly name: string;
  readonly desired?: DesiredListener | undefined;
  /** Undefined if the listener does not exist. */
  readonly observed?: ObservedListener | undefined;
}

/** Returns the listeners that a Service requests, followed by its obsolete listeners and by other listeners that use its server groups. */
export function listenerPairs(
  { desired, observed }: LoadBalancerPlan,
  groups: readonly GroupPair[],
): readonly ListenerPair[] {
  const ids = new Set(groups.flatMap((pair) => pair.observed?.id ?? []));
  const shown = observed.listeners.filter(
    ({ description, groupId }) => isOwnName(desired.owner, description) || (groupId !== undefined && ids.has(groupId)),
  );
  const wanted = desired.kind === 'present' && managesListeners(desired.use) ? desired.listeners : [];
  const pairs = wanted.map((listener): ListenerPair => {
    const name = listenerKey(listener);
    return { name, desired: listener, observed: shown.find((other) => listenerKey(other) === name) };
  });
  const further = shown.filter((listener) => pairs.every((pair) => pair.observed !== listener));
  return [...pairs, ...further.map((listener) => ({ name: listenerKey(listener), observed: listener }))];
}

/** The certificate of a listener. `domain` is set for an additional domain. */
interface ListenerCertificate {
  readonly id: string;
  readonly domain?: string;
}

const httpsOnly = (listener: DesiredListener | ObservedListener | undefined) =>
  listener?.protocol === 'https' ? listener : undefined;

/** Returns the certificates that a listener has after the plan is applied. For an obsolete listener, returns the current certificates. */
function certificatesOf({ desired, observed }: ListenerPair): readonly ListenerCertificate[] {
  const [wanted, before] = [httpsOnly(desired), httpsOnly(observed)];
  const own = wanted?.serverCertificateId ?? before?.serverCertificateId;
  const domains = wanted?.domainExtensions ?? before?.domainExtensions ?? [];
  return [
    ...(own === undefined ? [] : [{ id: own }]),
    ...domains.map(({ domain, certificateId }) => ({ id: certificateId, domain })),
  ];
}

/** Returns the edge to the server group after the plan is applied. An obsolete listener keeps its current group. */
function targetEdge(
  { desired, observed }: ListenerPair,
  key: string,
  groups: readonly GroupPair[],
  keyOfGroup: (reference: string) => string,
): readonly PictureEdge[] {
  const pair = groups.find((group) =>
    desired === undefined
      ? group.observed !== undefined && group.observed.id === observed?.groupId
      : group.reference === desired.group,
  );
  return pair === undefined ? [] : [{ from: key, to: keyOfGroup(pair.reference) }];
}

/** Functions that return the keys of nodes in one load balancer. `servicePicture` numbers the load balancers, so that keys are unique. */
export interface NodeKeys {
  readonly listener: (name: string) => string;
  readonly group: (reference: string) => string;
}

/** Returns the nodes of a listener and its certificates, and the edges to certificates, to the server group and to a redirect target. */
export function listenerPart(
  pair: ListenerPair,
  change: ResourceChange | undefined,
  groups: readonly GroupPair[],
  keys: NodeKeys,
): PicturePart & { readonly listener: PictureNode } {
  const { name, desired, observed } = pair;
  const key = keys.listener(name);
  const listener: PictureNode = {
    key,
    kind: 'listener',
    state: stateOf(change, observed !== undefined),
    lines: [`listener ${name}`, ...(observed === undefined || observed.status === 'running' ? [] : [observed.status])],
  };
  const certificates = certificatesOf(pair);
  const shown = desired ?? observed;
  const forwarded = shown === undefined ? undefined : forwardPortOf(shown);
  return {
    listener,
    nodes: [...new Set(certificates.map(({ id }) => id))].map((id) => ({
      key: `certificate/${id}`,
      kind: 'certificate',
      state: 'unchanged',
      lines: ['certificate', id],
    })),
    edges: [
      ...targetEdge(pair, key, groups, keys.group),
      ...(forwarded === undefined ? [] : [{ from: key, to: keys.listener(`${forwarded}/https`), label: 'redirects' }]),
      ...certificates.map(({ id, domain }) => ({
        from: key,
        to: `certificate/${id}`,
        isDashed: true,
        ...(domain === undefined ? {} : { label: domain }),
      })),
    ],
  };
}
