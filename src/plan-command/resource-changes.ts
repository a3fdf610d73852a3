import { backendAddress, type Action, type ActionKind } from '../clb/model/action.ts';
import type { DesiredListener, ListenerKey, ObservedListener } from '../clb/model/listener.ts';
import type { LoadBalancer, Tags } from '../clb/model/load-balancer.ts';
import type { Backend } from '../clb/model/server-group.ts';
import {
  backendKey,
  findGroup,
  listenerKey,
  referenceTo,
  type Observed,
} from '../clb/model/desired-and-observed-state.ts';
import type { LoadBalancerPlan } from './load-balancer-plan.ts';

export const OPERATIONS = ['create', 'change', 'delete'] as const;
export const RESOURCES = ['load-balancer', 'listener', 'server-group'] as const;

export type ChangeOperation = (typeof OPERATIONS)[number];
export type ChangedKind = (typeof RESOURCES)[number];
export type FieldValue = string | number | boolean;

/** A field that changes. A field without `old` is added. A field without `new` is removed. */
export interface FieldChange {
  readonly field: string;
  readonly old?: FieldValue | undefined;
  readonly new?: FieldValue | undefined;
}

/** Returns the operation on a field. */
export const operationOn = ({ old, new: next }: FieldChange): ChangeOperation =>
  old === undefined ? 'create' : next === undefined ? 'delete' : 'change';

/** The change of one resource, which may take several calls. */
export interface ResourceChange {
  readonly operation: ChangeOperation;
  readonly resource: ChangedKind;
  /** The load balancer's id (before creation: name), the listener's port and protocol, or the group's name (if user-managed: id). */
  readonly name: string;
  /** The id of the load balancer. Undefined if the plan creates the load balancer. */
  readonly loadBalancer?: string;
  readonly fields: readonly FieldChange[];
}

type Fields = Readonly<Record<string, unknown>>;

const valueOf = (value: unknown): FieldValue | undefined =>
  value === undefined || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value);

/** Returns the fields of `set` with their old values, sorted by name. */
const fieldsOf = (set: Fields, before: Fields = {}): readonly FieldChange[] =>
  Object.keys(set)
    .filter((field) => set[field] !== undefined)
    .sort()
    .map((field) => {
      const old = valueOf(before[field]);
      return { field, ...(old === undefined ? {} : { old }), new: valueOf(set[field]) };
    });

const tagFields = (tags: Tags): Fields =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`tags[${key}]`, value]));

const domainField = (domain: string): string => `domainExtensions[${domain}].certificateId`;

const change = (
  operation: ChangeOperation,
  resource: ChangedKind,
  name: string,
  fields: readonly FieldChange[] = [],
): ResourceChange => ({ operation, resource, name, fields });

/** Returns a change of the load balancer. Each tag is a separate field. */
function ofLoadBalancer({ loadBalancer }: Observed, set: Fields): ResourceChange {
  const before: Fields = loadBalancer === undefined ? {} : { ...loadBalancer, ...tagFields(loadBalancer.tags) };
  return change('change', 'load-balancer', loadBalancer?.id ?? '', fieldsOf(set, before));
}

const removedTags = (keys: readonly string[], { tags = {} }: Partial<LoadBalancer>): readonly FieldChange[] =>
  keys.map((key) => ({ field: `tags[${key}]`, old: tags[key] ?? '' }));

const backendField = (backend: Backend, field: string): string => `backends[${backendAddress(backend)}].${field}`;

const added = (backends: readonly Backend[]): readonly FieldChange[] =>
  backends.map((backend) => ({ field: backendField(backend, 'weight'), new: backend.weight }));

const removed = (backends: readonly Backend[]): readonly FieldChange[] =>
  backends.map((backend) => ({ field: backendField(backend, 'weight'), old: backend.weight }));

/** Returns the fields of backends that differ from the observed backends of the group. */
function updated(group: string, backends: readonly Backend[], observed: Observed): readonly FieldChange[] {
  const before = new Map(findGroup(observed, group)?.backends.map((backend) => [backendKey(backend), backend]));
  return backends.flatMap((backend) => {
    const old = before.get(backendKey(backend));
    return (['weight', 'description'] as const)
      .filter((field) => old?.[field] !== backend[field])
      .map((field) => ({ field: backendField(backend, field), old: old?.[field], new: backend[field] }));
  });
}

const ofGroup = (group: string, fields: readonly FieldChange[]): ResourceChange =>
  change('change', 'server-group', group, fields);

/** Returns the fields of a new listener, and the certificates of its additional domains. */
const listenerFields = ({
  port: _port,
  protocol: _protocol,
  group,
  domainExtensions = [],
  ...attributes
}: DesiredListener): Fields => ({
  ...attributes,
  ...(group === '' ? {} : { group }),
  ...Object.fromEntries(
    domainExtensions.map(({ domain, certificateId }) => [domainField(domain), certificateId] as const),
  ),
});

const listenerIn = ({ listeners }: Observed, listener: ListenerKey): ObservedListener | undefined =>
  listeners.find((other) => listenerKey(other) === listenerKey(listener));

const ofListener = (listener: ListenerKey, fields: readonly FieldChange[]): ResourceChange =>
  change('change', 'listener', listenerKey(listener), fields);

/** Returns the name or id of the group to which a listener forwards. */
function groupOf(observed: Observed, listener: ObservedListener | undefined): string | undefined {
  const group = observed.groups.find(({ id }) => id === listener?.groupId);
  return group === undefined ? listener?.groupId : referenceTo(observed, group);
}

type ChangeBy = {
  readonly [Kind in ActionKind]: (
    action: Extract<Action, { readonly kind: Kind }>,
    observed: Observed,
  ) => ResourceChange;
};

const CHANGE_BY: ChangeBy = {
  'create-load-balancer': ({ attributes, tags }) =>
    change('create', 'load-balancer', attributes.name ?? '', fieldsOf({ ...attributes, ...tagFields(tags) })),
  rename: ({ name }, observed) => ofLoadBalancer(observed, { name }),
  'set-delete-protection': ({ state }, observed) => ofLoadBalancer(observed, { deleteProtection: state }),
  'set-modification-protection': ({ state, reason }, observed) =>
    ofLoadBalancer(observed, { modificationProtection: state, modificationProtectionReason: reason }),
  'set-spec': ({ spec }, observed) => ofLoadBalancer(observed, { spec }),
  'set-instance-charge-type': ({ type }, observed) => ofLoadBalancer(observed, { instanceChargeType: type }),
  'set-internet-spec': ({ change: { chargeType, bandwidth } }, observed) =>
    ofLoadBalancer(observed, { internetChargeType: chargeType, bandwidth }),
  tag: ({ tags }, observed) => ofLoadBalancer(observed, tagFields(tags)),
  untag: ({ keys }, { loadBalancer }) =>
    change('change', 'load-balancer', loadBalancer?.id ?? '', removedTags(keys, loadBalancer ?? {})),
  'create-server-group': ({ group, backends }) => change('create', 'server-group', group, added(backends)),
  'add-backends': ({ group, backends }) => ofGroup(group, added(backends)),
  'remove-backends': ({ group, backends }) => ofGroup(group, removed(backends)),
  'update-backends': ({ group, backends }, observed) => ofGroup(group, updated(group, backends, observed)),
  'delete-server-group': ({ group }) => change('delete', 'server-group', group),
  'create-listener': ({ listener }) =>
    change('create', 'listener', listenerKey(listener), fieldsOf(listenerFields(listener))),
  'start-listener': ({ listener }, observed) =>
    ofListener(listener, fieldsOf({ status: 'running' }, { ...listenerIn(observed, listener) })),
  'update-listener': ({ listener, set, group }, observed) => {
    const before = listenerIn(observed, listener);
    return ofListener(listener, fieldsOf({ ...set, group }, { ...before, group: groupOf(observed, before) }));
  },
  'delete-listener': ({ listener }) => change('delete', 'listener', listenerKey(listener)),
  'create-domain-extension': ({ listener, domain, certificateId }) =>
    ofListener(listener, [{ field: domainField(domain), new: certificateId }]),
  'set-domain-extension': ({ listener, domain, certificateId }, observed) => {
    const before = listenerIn(observed, listener)?.domainExtensions?.find((each) => each.domain === domain);
    return ofListener(listener, [{ field: domainField(domain), old: before?.certificateId, new: certificateId }]);
  },
  'delete-domain-extension': ({ listener, domain }, observed) => {
    const before = listenerIn(observed, listener)?.domainExtensions?.find((each) => each.domain === domain);
    return ofListener(listener, [{ field: domainField(domain), old: before?.certificateId ?? '' }]);
  },
  'delete-load-balancer': ({ id }) => change('delete', 'load-balancer', id),
};

const changeBy = (action: Action, observed: Observed): ResourceChange =>
  (CHANGE_BY[action.kind] as (action: Action, observed: Observed) => ResourceChange)(action, observed);

const isSameResource = (left: ResourceChange, right: ResourceChange): boolean =>
  left.resource === right.resource && (left.name === right.name || left.resource === 'load-balancer');

/** Returns two changes of a resource as one change. Returns undefined if both must stay separate, such as a deletion and a new creation. */
function merged(first: ResourceChange, second: ResourceChange): ResourceChange | undefined {
  const fields = [...first.fields, ...second.fields];
  if (second.operation === 'change' && first.operation !== 'delete') return { ...first, fields };
  if (second.operation === 'delete' && first.operation === 'change') return { ...second, fields };
  return undefined;
}

/** Returns the changes of a plan by resource, in the order of their first calls. */
export function changesOf({ plan, observed }: LoadBalancerPlan): readonly ResourceChange[] {
  const id = observed.loadBalancer?.id;
  const changes: ResourceChange[] = [];
  for (const action of plan.actions) {
    const next = { ...changeBy(action, observed), ...(id === undefined ? {} : { loadBalancer: id }) };
    const at = changes.findLastIndex((each) => isSameResource(each, next));
    const before = changes[at];
    const both = before === undefined ? undefined : merged(before, next);
    if (both === undefined) changes.push(next);
    else changes[at] = both;
  }
  return changes;
}
