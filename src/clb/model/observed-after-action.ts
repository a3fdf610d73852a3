import type { Action } from './action.ts';
import type { DomainExtensionId, VServerGroupId } from './ids.ts';
import type { DomainExtension, ListenerKey, ObservedListener } from './listener.ts';
import type { LoadBalancer } from './load-balancer.ts';
import type { CreatedLoadBalancer } from './clb-api.ts';
import type { Backend, VServerGroupWithBackends } from './server-group.ts';
import { backendKey, findGroup, listenerKey, NOTHING_THERE, type Observed } from './desired-and-observed-state.ts';

/** The new load balancer, or the id of a new group or domain, as the cloud returns it; undefined for other actions. */
export type ActionResult = CreatedLoadBalancer | VServerGroupId | DomainExtensionId | undefined;

const withGroup = (observed: Observed, reference: string, backends: readonly Backend[]): Observed => ({
  ...observed,
  groups: observed.groups.map((group) => (group === findGroup(observed, reference) ? { ...group, backends } : group)),
});

const backendsOf = (observed: Observed, reference: string): readonly Backend[] =>
  findGroup(observed, reference)?.backends ?? [];

const without = (backends: readonly Backend[], removed: readonly Backend[]): readonly Backend[] => {
  const keys = new Set(removed.map(backendKey));
  return backends.filter((backend) => !keys.has(backendKey(backend)));
};

const withListener = (
  observed: Observed,
  key: string,
  change: (listener: ObservedListener) => ObservedListener,
): Observed => ({
  ...observed,
  listeners: observed.listeners.map((listener) => (listenerKey(listener) === key ? change(listener) : listener)),
});

const withLoadBalancer = (observed: Observed, change: Partial<LoadBalancer>): Observed =>
  observed.loadBalancer === undefined
    ? observed
    : { ...observed, loadBalancer: { ...observed.loadBalancer, ...change } };

const createdLoadBalancer = (
  action: Extract<Action, { kind: 'create-load-balancer' }>,
  created: CreatedLoadBalancer,
): LoadBalancer => ({
  addressType: 'internet',
  name: '',
  ...action.attributes,
  id: created.id,
  address: created.address,
  status: 'active',
  tags: action.tags,
});

const groupId = (observed: Observed, reference: string): { readonly groupId?: VServerGroupId } => {
  const id = findGroup(observed, reference)?.id;
  return id === undefined ? {} : { groupId: id };
};

function onLoadBalancer(observed: Observed, action: Action): Observed {
  const tags = observed.loadBalancer?.tags ?? {};
  switch (action.kind) {
    case 'rename':
      return withLoadBalancer(observed, { name: action.name });
    case 'set-delete-protection':
      return withLoadBalancer(observed, { deleteProtection: action.state });
    case 'set-modification-protection':
      return withLoadBalancer(observed, { modificationProtection: action.state });
    case 'set-spec':
      return withLoadBalancer(observed, { spec: action.spec });
    case 'set-instance-charge-type':
      // A PayByCLCU load balancer is always charged by traffic.
      return withLoadBalancer(observed, { instanceChargeType: action.type, internetChargeType: 'paybytraffic' });
    case 'set-internet-spec': {
      const { chargeType, bandwidth } = action.change;
      return withLoadBalancer(observed, {
        ...(chargeType === undefined ? {} : { internetChargeType: chargeType }),
        ...(bandwidth === undefined ? {} : { bandwidth }),
      });
    }
    case 'tag':
      return withLoadBalancer(observed, { tags: { ...tags, ...action.tags } });
    case 'untag':
      return withLoadBalancer(observed, {
        tags: Object.fromEntries(Object.entries(tags).filter(([key]) => !action.keys.includes(key))),
      });
    default:
      return observed;
  }
}

function onGroups(observed: Observed, action: Action, answer: ActionResult): Observed {
  switch (action.kind) {
    case 'create-server-group': {
      if (typeof answer !== 'string') return observed;
      const group: VServerGroupWithBackends = {
        id: answer as VServerGroupId,
        name: action.group,
        backends: action.backends,
      };
      return { ...observed, groups: [...observed.groups, group] };
    }
    case 'add-backends':
      return withGroup(observed, action.group, [...backendsOf(observed, action.group), ...action.backends]);
    case 'remove-backends':
      return withGroup(observed, action.group, without(backendsOf(observed, action.group), action.backends));
    case 'update-backends': {
      const changed = new Map(action.backends.map((backend) => [backendKey(backend), backend]));
      const backends = backendsOf(observed, action.group).map((backend) => changed.get(backendKey(backend)) ?? backend);
      return withGroup(observed, action.group, backends);
    }
    case 'delete-server-group':
      return { ...observed, groups: observed.groups.filter((group) => group !== findGroup(observed, action.group)) };
    default:
      return observed;
  }
}

/** Changes the additional domains of an HTTPS listener, if the controller has read these domains. */
const withDomains = (
  observed: Observed,
  listener: ListenerKey,
  change: (domains: readonly DomainExtension[]) => readonly DomainExtension[],
): Observed =>
  withListener(observed, listenerKey(listener), (has) =>
    has.domainExtensions === undefined ? has : { ...has, domainExtensions: change(has.domainExtensions) },
  );

function onDomains(observed: Observed, action: Action, answer: ActionResult): Observed {
  switch (action.kind) {
    case 'create-domain-extension': {
      if (typeof answer !== 'string') return observed;
      const { domain, certificateId } = action;
      const created = { id: answer as DomainExtensionId, domain, certificateId };
      return withDomains(observed, action.listener, (domains) => [...domains, created]);
    }
    case 'set-domain-extension': {
      const { id, domain, certificateId } = action;
      return withDomains(observed, action.listener, (domains) =>
        domains.map((has) => (has.id === id ? { id, domain, certificateId } : has)),
      );
    }
    case 'delete-domain-extension':
      return withDomains(observed, action.listener, (domains) => domains.filter(({ id }) => id !== action.id));
    default:
      return observed;
  }
}

function onListeners(observed: Observed, action: Action): Observed {
  switch (action.kind) {
    case 'create-listener': {
      const { group, ...attributes } = action.listener;
      const initial = { ...attributes, status: 'stopped', domainExtensions: [] } as const;
      const listener: ObservedListener = { ...initial, ...groupId(observed, group) };
      return { ...observed, listeners: [...observed.listeners, listener] };
    }
    case 'start-listener':
      return withListener(observed, listenerKey(action.listener), (listener) => ({ ...listener, status: 'running' }));
    case 'update-listener':
      return withListener(observed, listenerKey(action.listener), (listener) => ({
        ...listener,
        ...action.set,
        ...(action.group === undefined ? {} : groupId(observed, action.group)),
      }));
    case 'delete-listener': {
      const key = listenerKey(action.listener);
      return { ...observed, listeners: observed.listeners.filter((listener) => listenerKey(listener) !== key) };
    }
    default:
      return observed;
  }
}

/** Returns the observed state after a successful action, without a read of the cloud. */
export function observedAfter(observed: Observed, action: Action, answer: ActionResult): Observed {
  if (action.kind === 'create-load-balancer') {
    return typeof answer === 'object' ? { ...observed, loadBalancer: createdLoadBalancer(action, answer) } : observed;
  }
  if (action.kind === 'delete-load-balancer') return NOTHING_THERE;
  return onDomains(onListeners(onGroups(onLoadBalancer(observed, action), action, answer), action), action, answer);
}
