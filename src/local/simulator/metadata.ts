import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { second } from './timestamp.ts';
import { parseRange } from './address.ts';
import type { Simulator } from './simulator.ts';
import { temporaryKey } from './temporary-key.ts';
import { cut } from './http-exchange.ts';
import type { InstanceRow, NetworkInterfaceRow } from './ecs/table-rows.ts';
import type { VSwitchRow, VpcRow } from './vpc/table-rows.ts';

const TTL_HEADER = 'x-aliyun-ecs-metadata-token-ttl-seconds';
const TOKEN_HEADER = 'x-aliyun-ecs-metadata-token';

interface MetadataSource {
  readonly simulator: Simulator;
  readonly instance: InstanceRow | undefined;
  readonly primary: NetworkInterfaceRow | undefined;
  readonly vpc: VpcRow | undefined;
  readonly subnet: VSwitchRow | undefined;
  /** The short name of the instance's role, if the region has a role. */
  readonly role: string | undefined;
}

/** Returns the resources that the metadata service describes: the first instance of the region, and its network. */
function sourceOf(simulator: Simulator): MetadataSource {
  const { world } = simulator;
  const [instance] = world.instances.rows();
  const subnet = world.vSwitches.get(instance?.vSwitchId ?? '') ?? world.vSwitches.rows()[0];
  return {
    simulator,
    instance,
    subnet,
    primary: world.networkInterfaces
      .rows()
      .find(({ instanceId, type }) => instanceId === instance?.id && type === 'Primary'),
    vpc: world.vpcs.get(subnet?.vpcId ?? '') ?? world.vpcs.rows()[0],
    role: world.roles.rows()[0]?.id.split('/').at(-1),
  };
}

const ITEMS: Readonly<Record<string, (source: MetadataSource) => string | undefined>> = {
  'region-id': ({ simulator }) => simulator.world.regionId,
  'zone-id': ({ instance, subnet }) => instance?.zoneId ?? subnet?.zoneId,
  'instance-id': ({ instance }) => instance?.id,
  'instance/instance-type': ({ instance }) => instance?.instanceType,
  'vpc-id': ({ vpc }) => vpc?.id,
  'vpc-cidr-block': ({ vpc }) => vpc?.cidrBlock,
  'vswitch-id': ({ subnet }) => subnet?.id,
  'vswitch-cidr-block': ({ subnet }) => subnet?.cidrBlock,
  'private-ipv4': ({ instance }) => instance?.privateAddresses[0],
  eipv4: ({ instance }) => instance?.eip?.address ?? instance?.publicAddresses[0],
  hostname: ({ instance }) => instance?.hostName,
  'image-id': ({ instance }) => instance?.imageId,
  mac: ({ primary }) => primary?.macAddress,
  'network-type': () => 'vpc',
  'owner-account-id': ({ simulator }) => simulator.owner.accountId,
  'serial-number': ({ instance }) => instance?.serialNumber,
  'dns-conf/nameservers': () => '100.100.2.136\n100.100.2.138',
  'ntp-conf/ntp-servers': () => 'ntp.cloud.aliyuncs.com',
  'ram/security-credentials/': ({ role }) => role,
  'network/interfaces/macs/': ({ primary }) => primary && `${primary.macAddress}/`,
};

const INTERFACE_ITEMS: Readonly<
  Record<string, (found: NetworkInterfaceRow, source: MetadataSource) => string | undefined>
> = {
  'network-interface-id': ({ id }) => id,
  'private-ipv4s': ({ privateAddresses }) => JSON.stringify(privateAddresses),
  'primary-ip-address': ({ privateAddresses }) => privateAddresses[0],
  'vswitch-id': ({ vSwitchId }) => vSwitchId,
  'vpc-id': ({ vpcId }) => vpcId,
  netmask: (_found, { subnet }) => {
    const range = subnet && parseRange(subnet.cidrBlock);
    return range && [24, 16, 8, 0].map((shift) => Math.floor((2 ** 32 - range.size) / 2 ** shift) % 256).join('.');
  },
};

/** Returns the credentials document of the instance's role, with a new temporary key. */
function roleDocument(source: MetadataSource): string {
  const { simulator, role = '' } = source;
  const { ids, keys, owner, settings } = simulator;
  const now = simulator.time.now();
  const key = temporaryKey({ ids, keys, now }, owner, {
    role,
    session: 'metadata',
    seconds: settings.roleSessionSeconds,
  });
  return JSON.stringify({
    AccessKeyId: key.id,
    AccessKeySecret: key.secret,
    SecurityToken: key.token,
    Expiration: second(key.expiresAt),
    LastUpdated: second(now),
    Code: 'Success',
  });
}

function itemAt(path: string, source: MetadataSource): string | undefined {
  if (source.role !== undefined && path === `ram/security-credentials/${source.role}`) return roleDocument(source);
  const [, mac, item] = /^network\/interfaces\/macs\/([0-9a-f:]{17})\/(.+)$/.exec(path) ?? [];
  const found = source.primary?.macAddress === mac ? source.primary : undefined;
  if (mac !== undefined && item !== undefined) return found && INTERFACE_ITEMS[item]?.(found, source);
  return (ITEMS[path] ?? ITEMS[`${path}/`])?.(source);
}

function hangUp(reply: FastifyReply): FastifyReply {
  cut(reply, undefined);
  return reply;
}

/** Adds the routes of the instance metadata service. Clients such as the controller read region, VPC and temporary keys from this service. */
export function metadataRoutes(server: FastifyInstance, simulator: Simulator): void {
  const tokens = new Map<string, number>();

  server.put('/latest/api/token', async (request, reply) => {
    if (simulator.settings.metadata === 'cut') return hangUp(reply);
    const ttl = Number(request.headers[TTL_HEADER]);
    if (request.headers['x-forwarded-for'] !== undefined) return reply.code(403).send('');
    if (!Number.isInteger(ttl) || ttl < 1 || ttl > 21_600) return reply.code(400).send('');
    const token = simulator.ids.characters(56);
    tokens.set(token, simulator.time.now() + ttl * 1_000);
    return reply.type('text/plain').send(token);
  });

  const read = async (
    request: FastifyRequest<{ Params: { '*': string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    if (simulator.settings.metadata === 'cut') return hangUp(reply);
    const token = request.headers[TOKEN_HEADER];
    const isGood =
      token === undefined
        ? simulator.settings.metadata !== 'token'
        : (tokens.get(String(token)) ?? 0) > simulator.time.now();
    if (!isGood || request.headers['x-forwarded-for'] !== undefined) return reply.code(403).send('');
    const value = itemAt(request.params['*'], sourceOf(simulator));
    return value === undefined ? reply.code(404).send('') : reply.type('text/plain').send(value);
  };
  server.get('/latest/meta-data/*', read);
}
