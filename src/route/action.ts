import type { RouteTableId, TableRoute } from './route.ts';

/** A planned change of route tables, which takes one call of the cloud. */
export type RouteAction =
  | { readonly kind: 'delete-routes'; readonly routes: readonly (TableRoute & { readonly why: string })[] }
  | {
      readonly kind: 'switch-route';
      readonly tableId: RouteTableId;
      readonly entryId: string;
      readonly destination: string;
      readonly from: string;
      readonly to: string;
      /** The name of the Node whose pods the route reaches. */
      readonly node: string;
      readonly description: string;
    }
  | {
      readonly kind: 'create-routes';
      readonly routes: readonly (TableRoute & { readonly node: string; readonly description: string })[];
    }
  | {
      /** `release-route` marks the entry of an excluded Node, so that the entry outlives the Node. `reclaim-route` removes the mark. */
      readonly kind: 'release-route' | 'reclaim-route';
      readonly tableId: RouteTableId;
      readonly entryId: string;
      readonly destination: string;
      readonly description: string;
    };

const routeText = ({ tableId, destination, instanceId }: TableRoute): string =>
  `${destination} to ${instanceId} in ${tableId}`;

/** Returns a description of the action in one line, in the imperative, for logs. */
export function describeRouteAction(action: RouteAction): string {
  switch (action.kind) {
    case 'delete-routes':
      return `delete routes: ${action.routes.map((route) => `${routeText(route)} (${route.why})`).join(', ')}`;
    case 'create-routes':
      return `create routes: ${action.routes.map(routeText).join(', ')}`;
    case 'switch-route':
      return `switch route ${action.destination} in ${action.tableId} from ${action.from} to ${action.to}`;
    case 'release-route':
      return `release route ${action.destination} in ${action.tableId}`;
    case 'reclaim-route':
      return `reclaim route ${action.destination} in ${action.tableId}`;
  }
}

/** Returns the routes that an action changes, each with its new instance. If the action changes only a description, `instanceId` is empty. */
export function routesOf(action: RouteAction): readonly TableRoute[] {
  if ('routes' in action) return action.routes;
  const { tableId, destination } = action;
  return [{ tableId, destination, instanceId: action.kind === 'switch-route' ? action.to : '' }];
}

/** Returns the names of the Nodes for which the action creates or switches a route. Their conditions report a blocked or failed action. */
export function nodesOf(action: RouteAction): readonly string[] {
  if (action.kind === 'create-routes') return action.routes.map(({ node }) => node);
  return action.kind === 'switch-route' ? [action.node] : [];
}

/** Returns the action with only the routes that `keeps` accepts; undefined if `keeps` accepts none. */
export function narrowed(action: RouteAction, keeps: (route: TableRoute) => boolean): RouteAction | undefined {
  if (!('routes' in action)) return routesOf(action).some(keeps) ? action : undefined;
  if (!action.routes.some(keeps)) return undefined;
  return action.kind === 'create-routes'
    ? { kind: action.kind, routes: action.routes.filter(keeps) }
    : { kind: action.kind, routes: action.routes.filter(keeps) };
}

/** Returns a deletion and a creation that together replace a switch that the cloud rejected or did not permit. */
export function replacementsOf({
  tableId,
  destination,
  ...route
}: Extract<RouteAction, { readonly kind: 'switch-route' }>): readonly RouteAction[] {
  const { from, to, node, description } = route;
  const why = `the instance is not the instance of the Node ${node}`;
  return [
    { kind: 'delete-routes', routes: [{ tableId, destination, instanceId: from, why }] },
    { kind: 'create-routes', routes: [{ tableId, destination, instanceId: to, node, description }] },
  ];
}

const halves = <Item>(items: readonly Item[]): readonly (readonly Item[])[] => {
  const middle = Math.ceil(items.length / 2);
  return items.length < 2 ? [] : [items.slice(0, middle), items.slice(middle)];
};

/** Returns two actions with half of the routes each; an empty list for an action with a single route. */
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
