import { CloudError } from '../error.ts';
import { minute } from '../timestamp.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { boolean, required, text, type Arguments } from '../parameter.ts';
import type { BackendRow, LoadBalancerRow, VServerGroupRow } from './table-rows.ts';
import {
  backendView,
  matchesBackend,
  newBackend,
  readBackends,
  type BackendInput,
} from './backend-servers-parameter.ts';
import {
  groupSubject,
  listenersOf,
  LOAD_BALANCER_ID,
  loadBalancerSubject,
  read,
  REGION_ID,
  TAG,
  tagList,
  theChangeable,
  theLoadBalancer,
  write,
} from './common-parameters.ts';
import { carries, tagFilter, tagsOf } from './tag-parameters.ts';

const REGION = required(REGION_ID);
const GROUP_ID = required(text('VServerGroupId'));
const GROUP_NAME = text('VServerGroupName', {
  length: [1, 80],
  pattern: /^[\p{L}\p{N}\-/._]+$/u,
  form: 'letters, digits, "-", "/", "." and "_" are allowed',
});

/** Returns the server group that a call names. For a missing group, throws the error of the cloud: `InvalidParameter` with status 404. */
export function theGroup(args: Arguments, { world }: OperationContext): VServerGroupRow {
  const found = world.serverGroups.get(args.text('VServerGroupId'));
  if (found !== undefined) return found;
  throw new CloudError('InvalidParameter', 'The specified VServerGroupId does not exist.', 404);
}

/** Returns the load balancer of a group. Throws if the load balancer is locked. */
function ownerOf(group: VServerGroupRow, { world }: OperationContext): LoadBalancerRow {
  const owner = world.loadBalancers.get(group.loadBalancerId);
  if (owner === undefined)
    throw new CloudError('InvalidLoadBalancerId.NotFound', 'The load balancer of the group does not exist.');
  if (owner.status !== 'locked') return owner;
  throw new CloudError('ActionNotAllowed', 'The load balancer is locked; the operation is not allowed.');
}

/** Throws if `added` more backends would exceed the quota of the load balancer. */
function checkQuota(balancer: LoadBalancerRow, added: number, { world, settings }: OperationContext): void {
  const groups = world.serverGroups.rows().filter(({ loadBalancerId }) => loadBalancerId === balancer.id);
  const present = [balancer, ...groups].reduce((sum, { backends }) => sum + backends.length, 0);
  if (present + added <= settings.backendsPerLoadBalancer) return;
  throw new CloudError(
    'InstanceBackendServerNumberOverLimit',
    `The load balancer has ${present} backends; ${added} more would exceed its quota of ${settings.backendsPerLoadBalancer}.`,
  );
}

/** Returns the backends of a group after an addition. A new backend replaces an existing backend that has the same server and port. */
function withBackends(
  present: readonly BackendRow[],
  requested: readonly BackendInput[],
  balancer: LoadBalancerRow,
  context: OperationContext,
): BackendRow[] {
  const members = [...present];
  for (const item of requested) {
    const backend = newBackend(item, balancer, context);
    const at = members.findIndex((member) =>
      matchesBackend({ ...item, serverIp: item.serverIp ?? backend.serverIp }, member),
    );
    if (at < 0) members.push(backend);
    else members[at] = backend;
  }
  checkQuota(balancer, members.length - present.length, context);
  return members;
}

/** Returns the backends of a group after a removal. */
const withoutBackends = (present: readonly BackendRow[], requested: readonly BackendInput[]): BackendRow[] =>
  present.filter((member) => !requested.some((item) => matchesBackend(item, member)));

const groupView = (group: VServerGroupRow): OperationResult => ({
  VServerGroupId: group.id,
  BackendServers: { BackendServer: group.backends.map(backendView) },
});

function createGroup(args: Arguments, context: OperationContext): OperationResult {
  const balancer = theChangeable(args, context);
  const tags = tagsOf(args);
  const id = context.ids.id('rsp-');
  const backends = withBackends([], readBackends(args.optional('BackendServers'), context), balancer, context);
  const group = {
    id,
    loadBalancerId: balancer.id,
    name: args.optional('VServerGroupName') ?? id,
    backends,
    createdAt: context.now,
  };
  context.world.serverGroups.insert(group, context.now);
  if (Object.keys(tags).length > 0) context.world.tags.set('vservergroup', id, tags, context.now);
  return groupView(group);
}

function deleteGroup(args: Arguments, context: OperationContext): OperationResult {
  const group = theGroup(args, context);
  const used = listenersOf(ownerOf(group, context), context.now).some(
    ({ attributes }) => attributes['VServerGroupId'] === group.id,
  );
  if (used) throw new CloudError('RspoolVipExist', 'A listener still uses the server group.');
  context.world.serverGroups.remove(group.id, context.now);
  context.world.tags.drop('vservergroup', group.id, context.now);
  return {};
}

/** Returns an operation that changes a server group. `apply` makes the change, and the response is the changed group. */
const change = (
  action: string,
  parameters: SimulatedOperation['parameters'],
  apply: (group: VServerGroupRow, args: Arguments, context: OperationContext) => void,
): SimulatedOperation =>
  write({
    action,
    parameters: [REGION, GROUP_ID, ...parameters],
    subject: groupSubject,
    busyCode: 'BackendServer.configuring',
    handle: (args, context) => {
      const group = theGroup(args, context);
      apply(group, args, context);
      return groupView(group);
    },
  });

function setAttribute(group: VServerGroupRow, args: Arguments, context: OperationContext): void {
  ownerOf(group, context);
  for (const requested of readBackends(args.optional('BackendServers'), context)) {
    const member = group.backends.find((backend) => matchesBackend(requested, backend));
    if (member === undefined) {
      throw new CloudError(
        'InvalidServerId.NotExist',
        `The server ${requested.serverId} is not a member of the group.`,
      );
    }
  }
  for (const requested of readBackends(args.optional('BackendServers'), context)) {
    for (const member of group.backends.filter((backend) => matchesBackend(requested, backend))) {
      member.weight = requested.weight ?? member.weight;
      member.description = requested.description ?? member.description;
    }
  }
  group.name = args.optional('VServerGroupName') ?? group.name;
}

function modifyMembers(group: VServerGroupRow, args: Arguments, context: OperationContext): void {
  const kept = withoutBackends(group.backends, readBackends(args.optional('OldBackendServers'), context));
  const requested = readBackends(args.optional('NewBackendServers'), context);
  const keys = requested.map(({ serverId, serverIp, port }) => `${serverId}/${serverIp ?? ''}/${port ?? ''}`);
  if (new Set(keys).size < keys.length) {
    throw new CloudError('InvalidParameter', 'NewBackendServers names a server with the same port twice.');
  }
  const balancer = ownerOf(group, context);
  // The replaced backends are removed first, so that the check of the quota does not count them.
  const before = group.backends;
  group.backends = kept;
  try {
    group.backends = withBackends(kept, requested, balancer, context);
  } catch (error) {
    group.backends = before;
    throw error;
  }
}

function describeGroups(args: Arguments, context: OperationContext): OperationResult {
  const balancer = theLoadBalancer(args, context);
  const { world, now, listInstant } = context;
  const wanted = tagFilter(args);
  const listeners = listenersOf(balancer, now);
  const found = world.serverGroups
    .asOf(listInstant)
    .filter(({ loadBalancerId }) => loadBalancerId === balancer.id)
    .filter(({ id }) => wanted.every((tag) => carries(world.tags.of('vservergroup', id), tag)));
  const associated = (id: string): object => ({
    Listeners: {
      Listener: listeners
        .filter(({ attributes }) => attributes['VServerGroupId'] === id)
        .map(({ port, protocol }) => ({ Port: port, Protocol: protocol })),
    },
    Rules: { Rule: [] },
  });
  return {
    VServerGroups: {
      VServerGroup: found.map(({ id, name, backends, createdAt }) => ({
        VServerGroupId: id,
        VServerGroupName: name,
        ServerCount: backends.length,
        CreateTime: minute(createdAt),
        Tags: tagList(world.tags.of('vservergroup', id)),
        AssociatedObjects: args.boolean('IncludeListener') === true ? associated(id) : undefined,
      })),
    },
  };
}

function describeGroup(args: Arguments, context: OperationContext): OperationResult {
  const group = theGroup(args, context);
  return {
    ...groupView(group),
    VServerGroupName: group.name,
    LoadBalancerId: group.loadBalancerId,
    CreateTime: minute(group.createdAt),
    Tags: tagList(context.world.tags.of('vservergroup', group.id)),
  };
}

const BACKENDS = text('BackendServers');

/** The operations on server groups and their backends. */
export const SERVER_GROUP_OPERATIONS: readonly SimulatedOperation[] = [
  write({
    action: 'CreateVServerGroup',
    parameters: [BACKENDS, LOAD_BALANCER_ID, REGION, TAG, GROUP_NAME],
    subject: loadBalancerSubject,
    isLockFree: ({ parallelGroupCreation }) => parallelGroupCreation === 'accept',
    busyCode: 'BackendServer.configuring',
    handle: createGroup,
  }),
  write({
    action: 'DeleteVServerGroup',
    parameters: [REGION, GROUP_ID],
    subject: groupSubject,
    busyCode: 'VServerGroupProcessing',
    handle: deleteGroup,
  }),
  change('AddVServerGroupBackendServers', [required(BACKENDS)], (group, args, context) => {
    const requested = readBackends(args.text('BackendServers'), context);
    group.backends = withBackends(group.backends, requested, ownerOf(group, context), context);
  }),
  change('RemoveVServerGroupBackendServers', [required(BACKENDS)], (group, args, context) => {
    const requested = readBackends(args.text('BackendServers'), context);
    ownerOf(group, context);
    group.backends = withoutBackends(group.backends, requested);
  }),
  change('ModifyVServerGroupBackendServers', [text('OldBackendServers'), text('NewBackendServers')], modifyMembers),
  change('SetVServerGroupAttribute', [BACKENDS, GROUP_NAME], setAttribute),
  read({
    action: 'DescribeVServerGroups',
    parameters: [
      text('Description'),
      boolean('IncludeListener'),
      boolean('IncludeRule'),
      LOAD_BALANCER_ID,
      REGION,
      TAG,
    ],
    handle: describeGroups,
  }),
  read({ action: 'DescribeVServerGroupAttribute', parameters: [REGION, GROUP_ID], handle: describeGroup }),
];
