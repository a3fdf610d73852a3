import type { RouteTableId, TableRoute } from './route.ts';

/** One step towards the desired routes; one call of the cloud. */
export type RouteAction =
  | { readonly kind: 'delete-routes'; readonly routes: readonly (TableRoute & { readonly why: string })[] }
  | {
      readonly kind: 'switch-route';
      readonly tableId: RouteTableId;
      readonly entryId: string;
      readonly destination: string;
      readonly from: string;
      readonly to: string;
      /** Whose range it is. */
      readonly node: string;
      readonly description: string;
    }
  | {
      readonly kind: 'create-routes';
      readonly routes: readonly (TableRoute & { readonly node: string; readonly description: string })[];
    }
  | {
      /** Says that an entry is no longer ours to delete, or that it is ours again. */
      readonly kind: 'release-route' | 'reclaim-route';
      readonly tableId: RouteTableId;
      readonly entryId: string;
      readonly destination: string;
      readonly description: string;
    };

const routeText = ({ tableId, destination, instanceId }: TableRoute): string =>
  `${destination} to ${instanceId} in ${tableId}`;

/** One line for a person, in the imperative. */
export function describeRouteAction(action: RouteAction): string {
  switch (action.kind) {
    case 'delete-routes':
      return `delete routes: ${action.routes.map((route) => `${routeText(route)} (${route.why})`).join(', ')}`;
    case 'create-routes':
      return `create routes: ${action.routes.map(routeText).join(', ')}`;
    case 'switch-route':
      return `lead route ${action.destination} in ${action.tableId} to ${action.to} instead of ${action.from}`;
    case 'release-route':
      return `release route ${action.destination} in ${action.tableId}`;
    case 'reclaim-route':
      return `reclaim route ${action.destination} in ${action.tableId}`;
  }
}

/** The routes that an action is about; a marking leads nowhere. */
export function routesOf(action: RouteAction): readonly TableRoute[] {
  if ('routes' in action) return action.routes;
  const { tableId, destination } = action;
  return [{ tableId, destination, instanceId: action.kind === 'switch-route' ? action.to : '' }];
}

/** The Nodes for which an action makes a route lead to them. */
export function nodesOf(action: RouteAction): readonly string[] {
  if (action.kind === 'create-routes') return action.routes.map(({ node }) => node);
  return action.kind === 'switch-route' ? [action.node] : [];
}

/** The same step for those of its routes alone that are kept; absent when none is. */
export function narrowed(action: RouteAction, keeps: (route: TableRoute) => boolean): RouteAction | undefined {
  if (!('routes' in action)) return routesOf(action).some(keeps) ? action : undefined;
  if (!action.routes.some(keeps)) return undefined;
  return action.kind === 'create-routes'
    ? { kind: action.kind, routes: action.routes.filter(keeps) }
    : { kind: action.kind, routes: action.routes.filter(keeps) };
}

/** The two steps that come to the same as turning a route round. */
export function replacing({
  tableId,
  destination,
  ...route
}: Extract<RouteAction, { readonly kind: 'switch-route' }>): readonly RouteAction[] {
  const { from, to, node, description } = route;
  const why = `it leads to another instance than the Node ${node}`;
  return [
    { kind: 'delete-routes', routes: [{ tableId, destination, instanceId: from, why }] },
    { kind: 'create-routes', routes: [{ tableId, destination, instanceId: to, node, description }] },
  ];
}

const halves = <Item>(items: readonly Item[]): readonly (readonly Item[])[] => {
  const middle = Math.ceil(items.length / 2);
  return items.length < 2 ? [] : [items.slice(0, middle), items.slice(middle)];
};

/** The same step in two of half as many routes; nothing for a step of one. */
export function halvesOf(action: RouteAction): readonly RouteAction[] {
  switch (action.kind) {
    case 'create-routes':
      return halves(action.routes).map((routes) => ({ kind: action.kind, routes }));
    case 'delete-routes':
      return halves(action.routes).map((routes) => ({ kind: action.kind, routes }));
    default:
      return [];
  }
}
