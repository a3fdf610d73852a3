import { isNetwork } from '../address.ts';
import { CloudError } from '../error.ts';
import { minute } from '../timestamp.ts';
import { pageByNumber } from '../page.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { choice, integer, required, text, type Arguments } from '../parameter.ts';
import type { AccessControlListRow } from './table-rows.ts';
import {
  listenersOf,
  PAGE_NUMBER,
  pageSize,
  read,
  REGION_ID,
  RESOURCE_GROUP_ID,
  TAG,
  tagList,
  write,
} from './common-parameters.ts';
import { carries, tagFilter, tagsOf } from './tag-parameters.ts';

const REGION = required(REGION_ID);
const ACL_ID = required(text('AclId'));
const ACL_NAME = text('AclName', { length: [1, 80] });
const ENTRIES = text('AclEntrys');
const PER_CALL = 50;

/** Returns the access control list that a call names. Throws `AclNotExist` if the list does not exist. */
function theList(args: Arguments, { world }: OperationContext): AccessControlListRow {
  const id = args.text('AclId');
  const found = world.accessControlLists.get(id);
  if (found === undefined) throw new CloudError('AclNotExist', `The access control list ${id} does not exist.`);
  return found;
}

const malformed = (): CloudError =>
  new CloudError(
    'IpListItemFormatError',
    'AclEntrys must be JSON text, a list of {"entry": "10.0.0.0/8", "comment": "…"}.',
  );

/** Parses the parameter `AclEntrys`. Returns each range with its comment. */
function readEntries(
  json: string | undefined,
  version: 'ipv4' | 'ipv6',
): readonly (readonly [string, string | undefined])[] {
  let items: unknown;
  try {
    items = JSON.parse(json ?? '[]');
  } catch {
    throw malformed();
  }
  if (!Array.isArray(items)) throw malformed();
  if (items.length > PER_CALL)
    throw new CloudError('InvalidParameter', `At most ${PER_CALL} entries are allowed in one call.`);
  return items.map((item: unknown) => {
    const { entry, comment } = (item ?? {}) as { readonly entry?: unknown; readonly comment?: unknown };
    if (typeof entry !== 'string' || !isNetwork(entry, version)) throw malformed();
    return [entry, typeof comment === 'string' ? comment : undefined];
  });
}

function create(args: Arguments, context: OperationContext): OperationResult {
  const { world, settings, ids, now } = context;
  const [name, tags] = [args.text('AclName'), tagsOf(args)];
  if (world.accessControlLists.rows().some((list) => list.name === name)) {
    throw new CloudError('AclNameExist', `An access control list named ${name} already exists.`);
  }
  if (world.accessControlLists.size >= settings.accessControlLists) {
    throw new CloudError(
      'AclOverLimit',
      `The account has ${settings.accessControlLists} access control lists, which is its quota.`,
    );
  }
  const id = ids.id('acl-');
  const ipVersion = args.optional('AddressIPVersion') === 'ipv6' ? 'ipv6' : 'ipv4';
  const resourceGroupId = args.optional('ResourceGroupId') ?? 'rg-default';
  world.accessControlLists.insert({ id, name, ipVersion, resourceGroupId, entries: new Map(), createdAt: now }, now);
  if (Object.keys(tags).length > 0) world.tags.set('acl', id, tags, now);
  return { AclId: id };
}

/** Returns the listeners that use an access control list. */
const related = (id: string, { world, now }: OperationContext): readonly object[] =>
  world.loadBalancers.rows().flatMap((balancer) =>
    listenersOf(balancer, now)
      .filter(({ attributes }) =>
        String(attributes['AclId'] ?? '')
          .split(',')
          .includes(id),
      )
      .map(({ port, protocol, attributes }) => ({
        LoadBalancerId: balancer.id,
        ListenerPort: port,
        Protocol: protocol,
        AclType: attributes['AclType'],
      })),
  );

function remove(args: Arguments, context: OperationContext): OperationResult {
  const { id } = theList(args, context);
  if (related(id, context).length > 0) throw new CloudError('AclInUsed', 'A listener uses the access control list.');
  context.world.accessControlLists.remove(id, context.now);
  context.world.tags.drop('acl', id, context.now);
  return {};
}

const view = (list: AccessControlListRow, { world }: OperationContext): OperationResult => ({
  AclId: list.id,
  AclName: list.name,
  AddressIPVersion: list.ipVersion,
  ResourceGroupId: list.resourceGroupId,
  CreateTime: minute(list.createdAt),
  Tags: tagList(world.tags.of('acl', list.id)),
});

function describeAll(args: Arguments, context: OperationContext): OperationResult {
  const [number, size, wanted] = [args.integer('PageNumber') ?? 1, args.integer('PageSize') ?? 10, tagFilter(args)];
  const [name, version, group] = [
    args.optional('AclName') ?? '',
    args.optional('AddressIPVersion'),
    args.optional('ResourceGroupId'),
  ];
  const found = context.world.accessControlLists
    .asOf(context.listInstant)
    .filter((list) => list.name.includes(name))
    .filter((list) => version === undefined || list.ipVersion === version)
    .filter((list) => group === undefined || list.resourceGroupId === group)
    .filter(({ id }) => wanted.every((tag) => carries(context.world.tags.of('acl', id), tag)));
  const page = pageByNumber(found, number, size);
  return {
    PageNumber: number,
    PageSize: size,
    TotalCount: found.length,
    Count: page.length,
    Acls: { Acl: page.map((list) => view(list, context)) },
  };
}

function describeOne(args: Arguments, context: OperationContext): OperationResult {
  const list = theList(args, context);
  const comment = args.optional('AclEntryComment');
  const entries = [...list.entries]
    .filter(([, note]) => comment === undefined || note === comment)
    .map(([AclEntryIP, AclEntryComment]) => ({ AclEntryIP, AclEntryComment }));
  return {
    ...view(list, context),
    AclEntrys: { AclEntry: pageByNumber(entries, args.integer('Page') ?? 1, args.integer('PageSize') ?? 50) },
    TotalAclEntry: entries.length,
    RelatedListeners: { RelatedListener: related(list.id, context) },
  };
}

function addEntries(args: Arguments, context: OperationContext): OperationResult {
  const list = theList(args, context);
  const fresh = readEntries(args.optional('AclEntrys'), list.ipVersion).filter(([entry]) => !list.entries.has(entry));
  const most = context.settings.entriesPerAccessControlList;
  if (list.entries.size + fresh.length > most) {
    throw new CloudError('AclEntryOverLimit', `An access control list has at most ${most} entries.`);
  }
  for (const [entry, comment] of fresh) list.entries.set(entry, comment);
  return {};
}

function removeEntries(args: Arguments, context: OperationContext): OperationResult {
  const list = theList(args, context);
  const named = readEntries(args.optional('AclEntrys'), list.ipVersion);
  if (named.length === 0) throw new CloudError('AclEntryEmpty', 'AclEntrys contains no entry.');
  for (const [entry] of named) list.entries.delete(entry);
  return {};
}

/** The operations on access control lists. Listeners refer to these lists in the attribute `AclId`. */
export const ACL_OPERATIONS: readonly SimulatedOperation[] = [
  write({
    action: 'CreateAccessControlList',
    parameters: [required(ACL_NAME), choice('AddressIPVersion', ['ipv4', 'ipv6']), REGION, RESOURCE_GROUP_ID, TAG],
    handle: create,
  }),
  write({ action: 'DeleteAccessControlList', parameters: [ACL_ID, REGION], handle: remove }),
  write({
    action: 'SetAccessControlListAttribute',
    parameters: [ACL_ID, required(ACL_NAME), REGION],
    handle: (args, context) => {
      theList(args, context).name = args.text('AclName');
      return {};
    },
  }),
  write({ action: 'AddAccessControlListEntry', parameters: [ACL_ID, ENTRIES, REGION], handle: addEntries }),
  write({ action: 'RemoveAccessControlListEntry', parameters: [ACL_ID, ENTRIES, REGION], handle: removeEntries }),
  read({
    action: 'DescribeAccessControlLists',
    parameters: [
      ACL_NAME,
      choice('AddressIPVersion', ['ipv4', 'ipv6']),
      PAGE_NUMBER,
      pageSize(50),
      REGION,
      RESOURCE_GROUP_ID,
      TAG,
    ],
    handle: describeAll,
  }),
  read({
    action: 'DescribeAccessControlListAttribute',
    parameters: [ACL_ID, text('AclEntryComment'), integer('Page', [1, 1_000]), pageSize(100), REGION],
    handle: describeOne,
  }),
];
