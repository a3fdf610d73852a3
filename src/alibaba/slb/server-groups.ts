import { z } from 'zod';
import type { LoadBalancerId, ServerId, VServerGroupId } from '../../clb/model/ids.ts';
import type { ClbApi } from '../../clb/model/clb-api.ts';
import { BACKENDS_PER_CALL, type Backend } from '../../clb/model/server-group.ts';
import { PortcullisError } from '../../base/errors.ts';
import { expectAbout, wrapped } from '../response-validation.ts';
import { readAnswer, wholeNumber } from './field-schemas.ts';
import { operationOf, type SlbClient } from './client.ts';
import { unlessGone } from './load-balancers.ts';

const groupId = z
  .string()
  .min(1)
  .transform((raw) => raw as VServerGroupId);
const GROUP = z.object({ VServerGroupId: groupId, VServerGroupName: z.string().default('') });
const GROUPS = z.object({ VServerGroups: wrapped('VServerGroup', GROUP) });

/** The schema of a backend. The result is undefined for backend types that the controller never adds, such as `eci`. */
const MEMBER = z
  .object({
    serverId: z.string().transform((raw) => raw as ServerId),
    serverIp: z.string().default(''),
    port: wholeNumber,
    weight: wholeNumber.default(100),
    type: z.string().default('ecs'),
    description: z.string().default(''),
  })
  .transform(({ serverIp, type, ...common }): Backend | undefined => {
    if (type === 'ecs') return { ...common, type };
    return type === 'eni' ? { ...common, type, serverIp } : undefined;
  });
const GROUP_WITH_MEMBERS = z.object({
  VServerGroupId: groupId,
  VServerGroupName: z.string().default(''),
  loadBalancerId: z.string().optional(),
  backendServers: wrapped('backendServer', MEMBER),
});

/** Returns backends as the JSON text of the API. Always contains `Type`, which the API requires for all types except `ecs`. */
function members(backends: readonly Backend[]): string {
  if (backends.length > BACKENDS_PER_CALL) {
    throw new PortcullisError('Bug', `${backends.length} backends in one call; the API takes ${BACKENDS_PER_CALL}`);
  }
  return JSON.stringify(
    backends.map((backend) => ({
      ServerId: backend.serverId,
      ...(backend.type === 'eni' ? { ServerIp: backend.serverIp } : {}),
      Port: backend.port,
      Weight: backend.weight,
      Type: backend.type,
      // The cloud rejects an empty description, so the request omits it.
      ...(backend.description === '' ? {} : { Description: backend.description }),
    })),
  );
}

type ServerGroupApi = Pick<
  ClbApi,
  | 'listServerGroups'
  | 'readServerGroup'
  | 'createServerGroup'
  | 'deleteServerGroup'
  | 'addBackends'
  | 'removeBackends'
  | 'updateBackends'
>;

/** Returns the SLB calls for server groups. */
export function serverGroupApi(client: SlbClient): ServerGroupApi {
  // The load balancer of each group is the key of its changes, because changes of one load balancer must run one after the other.
  const loadBalancers = new Map<VServerGroupId, string>();
  const keyOf = (group: VServerGroupId): string => loadBalancers.get(group) ?? group;
  const change =
    (method: 'addVServerGroupBackendServers' | 'removeVServerGroupBackendServers' | 'setVServerGroupAttribute') =>
    async (group: VServerGroupId, backends: readonly Backend[], context: Parameters<ClbApi['addBackends']>[2]) => {
      const request = { VServerGroupId: group, backendServers: members(backends) };
      await client.call(method, request, context, keyOf(group));
    };
  return {
    listServerGroups: async (loadBalancerId, context) => {
      const answer = await client.call('describeVServerGroups', { loadBalancerId }, context);
      const { VServerGroups: groups } = readAnswer('describeVServerGroups', GROUPS, answer);
      return groups.map(({ VServerGroupId: id, VServerGroupName: name }) => {
        loadBalancers.set(id, loadBalancerId);
        return { id, name };
      });
    },
    readServerGroup: async (group, context) => {
      const answer = await client.call('describeVServerGroupAttribute', { VServerGroupId: group }, context);
      const found = readAnswer('describeVServerGroupAttribute', GROUP_WITH_MEMBERS, answer);
      expectAbout(operationOf('describeVServerGroupAttribute'), group, found.VServerGroupId);
      if (found.loadBalancerId !== undefined) loadBalancers.set(group, found.loadBalancerId);
      const backends = found.backendServers.filter((backend) => backend !== undefined);
      return { id: group, name: found.VServerGroupName, backends };
    },
    createServerGroup: async (loadBalancerId: LoadBalancerId, name, backends, context) => {
      const request = { loadBalancerId, VServerGroupName: name, backendServers: members(backends) };
      const answer = await client.call('createVServerGroup', request, context, loadBalancerId);
      const { VServerGroupId: id } = readAnswer('createVServerGroup', z.object({ VServerGroupId: groupId }), answer);
      loadBalancers.set(id, loadBalancerId);
      return id;
    },
    deleteServerGroup: async (group, context) => {
      await unlessGone(undefined, () =>
        client.call('deleteVServerGroup', { VServerGroupId: group }, context, keyOf(group)),
      );
      loadBalancers.delete(group);
    },
    addBackends: change('addVServerGroupBackendServers'),
    removeBackends: change('removeVServerGroupBackendServers'),
    updateBackends: change('setVServerGroupAttribute'),
  };
}
