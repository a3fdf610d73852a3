import { z } from 'zod';
import type { FailedRoute, RouteApi } from '../../route/route-api.ts';
import type { RouteEntry, TableRoute } from '../../route/route.ts';
import { readBody, wrapped, wrappedIfAny } from '../response-validation.ts';
import type { CloudOperation } from '../cloud-call-types.ts';
import type { CloudExecutor } from '../executor.ts';
import { allByToken } from '../pagination.ts';
import { toModel, toParameters, type ApiParameters } from '../wire-names.ts';
import type { CallContext } from '../../plan/call-context.ts';

const operation = (action: string): CloudOperation => ({ product: 'Vpc', version: '2016-04-28', action });
const LIST_TABLES = operation('DescribeRouteTableList');
const LIST_ENTRIES = operation('DescribeRouteEntryList');
const CREATE = operation('CreateRouteEntries');
const DELETE = operation('DeleteRouteEntries');
const MODIFY = operation('ModifyRouteEntry');

/** The largest page sizes in the API reference. */
const TABLES_PER_PAGE = 50;
const ENTRIES_PER_PAGE = 100;
/** The executor key of all writes. Equal keys prevent parallel writes, because the cloud accepts only one route change at a time in a VPC. */
const ROUTES_KEY = 'routes';

const text = z.string().default('');
const TABLES = z.object({
  routerTableList: wrapped(
    'routerTableListType',
    z.object({ routeTableId: z.string().min(1), vpcId: text, routeTableType: text }),
  ),
  totalCount: z.number().int(),
});
const ENTRY = z.object({
  routeEntryId: z.string().min(1),
  destinationCidrBlock: z.string().min(1),
  status: text,
  type: text,
  description: text,
  nextHops: wrappedIfAny('nextHop', z.object({ nextHopType: text, nextHopId: text })),
});
const ENTRIES = z.object({ routeEntrys: wrapped('routeEntry', ENTRY), nextToken: text });
const OUTCOME = z.object({
  failedRouteEntries: z.array(z.object({ dstCidrBlock: text, failedCode: text, failedMessage: text })).default([]),
});

/** Returns the instance id of a route entry if its only next hop is an instance. */
function instanceOf({ nextHops }: z.output<typeof ENTRY>): string | undefined {
  const [hop, ...others] = nextHops;
  return hop !== undefined && others.length === 0 && hop.nextHopType === 'Instance' && hop.nextHopId !== ''
    ? hop.nextHopId
    : undefined;
}

const entryOf = (tableId: string, raw: z.output<typeof ENTRY>): RouteEntry => {
  const instanceId = instanceOf(raw);
  return {
    tableId,
    id: raw.routeEntryId,
    destination: raw.destinationCidrBlock,
    status: raw.status,
    description: raw.description,
    ...(instanceId === undefined ? {} : { instanceId }),
  };
};

const deletion = ({ tableId, destination, instanceId }: TableRoute): ApiParameters => ({
  routeTableId: tableId,
  dstCidrBlock: destination,
  nextHop: instanceId,
});

const creation = (route: TableRoute & { readonly description: string }): ApiParameters => ({
  ...deletion(route),
  nextHopType: 'Instance',
  description: route.description,
  ...(route.destination.includes(':') ? { ipVersion: 6 } : {}),
});

/** Returns the VPC calls with which the route controller reads and changes route tables. */
export function routeApi(executor: CloudExecutor, regionId: string): RouteApi {
  const call = async (sent: CloudOperation, request: ApiParameters, context: CallContext): Promise<unknown> =>
    toModel(await executor.call(sent, toParameters({ regionId, ...request }), context));
  const write = async (sent: CloudOperation, request: ApiParameters, context: CallContext): Promise<unknown> =>
    toModel(await executor.call(sent, toParameters({ regionId, ...request }), context, ROUTES_KEY));
  const batch = async (
    sent: CloudOperation,
    routeEntries: ApiParameters[],
    context: CallContext,
  ): Promise<FailedRoute[]> => {
    const { failedRouteEntries } = readBody(sent, OUTCOME, await write(sent, { routeEntries }, context));
    return failedRouteEntries.map(({ dstCidrBlock, failedCode, failedMessage }) => ({
      destination: dstCidrBlock,
      code: failedCode,
      message: failedMessage,
    }));
  };
  return {
    listTables: async (vpcId, context) => {
      const tables = new Map<string, { id: string; vpcId: string; type: string }>();
      for (let pageNumber = 1; ; pageNumber += 1) {
        const request = { vpcId, pageNumber, pageSize: TABLES_PER_PAGE };
        const page = readBody(LIST_TABLES, TABLES, await call(LIST_TABLES, request, context));
        for (const { routeTableId: id, routeTableType: type, vpcId: of } of page.routerTableList)
          tables.set(id, { id, vpcId: of, type });
        if (pageNumber * TABLES_PER_PAGE >= page.totalCount || page.routerTableList.length === 0)
          return [...tables.values()];
      }
    },
    listEntries: (routeTableId, context) =>
      allByToken(LIST_ENTRIES, async (nextToken) => {
        const request = { routeTableId, routeEntryType: 'Custom', maxResult: ENTRIES_PER_PAGE, nextToken };
        const page = readBody(LIST_ENTRIES, ENTRIES, await call(LIST_ENTRIES, request, context));
        return { items: page.routeEntrys.map((raw) => entryOf(routeTableId, raw)), nextToken: page.nextToken };
      }),
    createEntries: (routes, context) => batch(CREATE, routes.map(creation), context),
    deleteEntries: (routes, context) => batch(DELETE, routes.map(deletion), context),
    modifyEntry: async (routeEntryId, { instanceId, description }, context) => {
      const hop = instanceId === undefined ? {} : { newNextHopId: instanceId, newNextHopType: 'Instance' };
      await write(MODIFY, { routeEntryId, ...hop, description }, context);
    },
  };
}
