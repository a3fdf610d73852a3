import type { Plan, BlockedAction } from '../../plan/plan.ts';
import type { PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { blockedPorts, portOf, reasonFor, type BlockedPorts, type Port } from '../diff/blocked-ports.ts';
import { coupledWith } from '../diff/listener-attributes.ts';
import { changesKey, type AttributeKey } from './blockable-attributes.ts';
import { listenersUsing, type Observed } from '../model/desired-and-observed-state.ts';

/** The `rule` of a block that comes from a policy's constraint. */
export const POLICY = 'PolicyViolation' as const;
/** The `rule` of a block that comes from a quota. */
export const QUOTA = 'QuotaExceeded' as const;
/** The `rule` of a block that comes from the protection of a user-managed load balancer. */
export const USER_MANAGED = 'UserManaged' as const;

type PolicyBlockRule = typeof POLICY | typeof QUOTA | typeof USER_MANAGED;

/** A restriction of a Service by policies, quotas or the owner of its load balancer. */
export interface PolicyBlock {
  /** The keys of the blocked properties. Empty if the block concerns no property of the Service. */
  readonly about: readonly AttributeKey[];
  /** A message for the owner of the Service. */
  readonly reason: string;
  /** The cause of the restriction. `UserManaged` restricts only a part of a Service, even if the Service is new. */
  readonly rule: PolicyBlockRule;
}

/** The blocks on one Service, from the evaluation of rules, policies and quotas. */
export interface PolicyBlocks {
  /** Whether the Service has no resources in the cloud yet. If so, a block applies to the whole Service, unless its rule is `UserManaged`. */
  readonly isNew: boolean;
  readonly all: readonly PolicyBlock[];
}

export const NO_POLICY_BLOCKS: PolicyBlocks = { isNew: false, all: [] };

/** The permitted part of an action, and the blocked part with the blocking policies. */
interface Split {
  readonly permitted?: Action;
  readonly blocked?: { readonly action: Action; readonly by: readonly PolicyBlock[] };
}

/** Returns the fields of an action that policies can block separately. */
function fieldsOf(action: Action): readonly string[] {
  if (action.kind === 'update-listener') return Object.keys(action.set);
  if (action.kind === 'tag') return Object.keys(action.tags);
  return action.kind === 'untag' ? action.keys : [''];
}

const picked = <Value>(all: Readonly<Record<string, Value>>, fields: ReadonlySet<string>): Record<string, Value> =>
  Object.fromEntries(Object.entries(all).filter(([field]) => fields.has(field)));

/** Returns the action with only some of its fields; undefined if no change remains. */
function only(action: Action, fields: ReadonlySet<string>): Action | undefined {
  if (action.kind === 'update-listener') {
    const isLeft = fields.size > 0 || action.group !== undefined;
    return isLeft ? { ...action, set: picked(action.set, fields) } : undefined;
  }
  if (fields.size === 0) return undefined;
  if (action.kind === 'tag') return { ...action, tags: picked(action.tags, fields) };
  return action.kind === 'untag' ? { ...action, keys: action.keys.filter((key) => fields.has(key)) } : action;
}

/** Returns whether an action changes a field. An update can contain unchanged fields, because the cloud requires some fields together. */
function isChange(action: Action, field: string, { listeners }: Observed): boolean {
  if (action.kind !== 'update-listener') return true;
  const key = ({ port, protocol }: { port: number; protocol: string }): string => `${port}/${protocol}`;
  const has = listeners.find((listener) => key(listener) === key(action.listener));
  return (has as Readonly<Record<string, unknown>> | undefined)?.[field] !== action.set[field];
}

/** Returns an update of a listener without the change of its server group. Returns any other action unchanged. */
const withoutGroup = (action: Action): Action =>
  action.kind === 'update-listener' ? { kind: action.kind, listener: action.listener, set: action.set } : action;

class PlanSplitter {
  readonly #all: readonly PolicyBlock[];
  readonly #observed: Observed;
  readonly #plan: Plan<Action>;
  readonly #blocked: BlockedPorts<readonly PolicyBlock[]>;

  constructor(all: readonly PolicyBlock[], plan: Plan<Action>, observed: Observed) {
    this.#all = all;
    this.#observed = observed;
    this.#plan = plan;
    const against = (action: Action): readonly PolicyBlock[] | undefined =>
      action.kind === 'create-listener' ? some(this.#blocksOn(action, '')) : undefined;
    this.#blocked = blockedPorts(plan, against, observed);
  }

  split(action: Action): Split {
    const by = reasonFor(action, this.#blocked) ?? this.#forGroup(action);
    if (by !== undefined) return { blocked: { action, by } };
    const fields = fieldsOf(action);
    const against = new Map(fields.map((field) => [field, this.#blocksOn(action, field)]));
    const together = action.kind === 'update-listener' ? coupledWith : (field: string) => [field];
    const blockedFields = new Set(
      fields.flatMap((field) => ((against.get(field) ?? []).length > 0 ? together(field) : [])),
    );
    if (blockedFields.size === 0) return { permitted: action };
    const permitted = only(action, new Set(fields.filter((field) => !blockedFields.has(field))));
    return {
      ...(permitted === undefined ? {} : { permitted }),
      blocked: {
        action: only(withoutGroup(action), blockedFields) ?? action,
        by: [...new Set([...against.values()].flat())],
      },
    };
  }

  #blocksOn(action: Action, field: string): readonly PolicyBlock[] {
    if (!isChange(action, field, this.#observed)) return [];
    return this.#all.filter(({ about }) => changesKey(action, field, about, this.#observed));
  }

  /** Returns the policy blocks that also stop the creation or deletion of a server group, because they block its listeners. */
  #forGroup(action: Action): readonly PolicyBlock[] | undefined {
    if (action.kind === 'delete-server-group')
      return this.#first(listenersUsing(this.#observed, action.group).map(portOf));
    if (action.kind !== 'create-server-group') return undefined;
    const users = this.#plan.actions.flatMap((other) => {
      if (other.kind === 'create-listener')
        return other.listener.group === action.group ? [portOf(other.listener)] : [];
      return other.kind === 'update-listener' && other.group === action.group ? [portOf(other.listener)] : [];
    });
    return users.every((port) => this.#blocked.has(port)) ? this.#first(users) : undefined;
  }

  #first(ports: readonly Port[]): readonly PolicyBlock[] | undefined {
    return ports.map((port) => this.#blocked.get(port)).find((by) => by !== undefined);
  }
}

const some = <Item>(items: readonly Item[]): readonly Item[] | undefined => (items.length === 0 ? undefined : items);

/** Returns whether a block applies to all resources of a new Service, not only to a part. */
export const isWhole = ({ rule }: PolicyBlock): boolean => rule !== USER_MANAGED;

const withoutAction = (all: readonly PolicyBlock[]): readonly BlockedAction<Action>[] =>
  all.map(({ rule, reason }) => ({ rule, reason }));

/** Blocks the actions and fields that policies and quotas forbid. An existing Service keeps its resources. */
export const withoutBlockedByPolicy =
  ({ isNew, all }: PolicyBlocks, observed: Observed): PlanGuard<Action> =>
  (plan) => {
    if (all.length === 0) return plan;
    if (isNew && all.some(isWhole)) return { actions: [], blocked: [...plan.blocked, ...withoutAction(all)] };
    const splitter = new PlanSplitter(all, plan, observed);
    const splits = plan.actions.map((action) => splitter.split(action));
    return {
      actions: splits.flatMap(({ permitted }) => permitted ?? []),
      blocked: [
        ...plan.blocked,
        ...splits.flatMap(({ blocked }) =>
          (blocked?.by ?? []).map((block) => ({
            rule: block.rule,
            reason: block.reason,
            ...(blocked === undefined ? {} : { action: blocked.action }),
          })),
        ),
      ],
    };
  };
