import { isIP } from 'node:net';
import { z } from 'zod';
import { isNetwork, parseRange } from './address.ts';

const id = (prefix: string): z.ZodString =>
  z.string().regex(new RegExp(`^${prefix}-[A-Za-z0-9-]+$`), `expected an id that starts with ${prefix}-`);
const name = z.string().max(256, 'expected at most 256 characters');
const cidr = z.string().refine((text) => parseRange(text) !== undefined, 'expected an IPv4 range such as 10.0.0.0/16');
const address = z.string().refine((text) => isIP(text) !== 0, 'expected an IP address');
const tags = z.record(z.string(), z.string(), 'expected an object of strings').default({});
const time = z.iso.datetime({ error: 'expected a time such as 2026-01-02T03:04:05Z' });
const group = name.default('rg-default');
const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, `expected one of ${values.join(', ')}`);
const onOff = oneOf('on', 'off').default('off');
const scalar = z.union([z.string(), z.number(), z.boolean()], 'expected a string, a number, true or false');
const list = <Item extends z.ZodType>(item: Item) => z.array(item, 'expected a list').default([]);

const Backend = z.strictObject({
  serverId: z.string().min(1, 'expected the id of a server'),
  serverIp: address.optional(),
  port: z.int().min(1).max(65_535).optional(),
  type: oneOf('ecs', 'eni', 'eci').default('ecs'),
  weight: z.int().min(0).max(100).default(100),
  description: name.optional(),
});

const Listener = z.strictObject({
  port: z.int('expected a port').min(1).max(65_535),
  protocol: oneOf('tcp', 'udp', 'http', 'https'),
  status: oneOf('starting', 'running', 'configuring', 'stopping', 'stopped').default('running'),
  /** The attributes, by the parameter names of the create operations. */
  attributes: z.record(z.string(), scalar).default({}),
  tags,
});

const ServerGroup = z.strictObject({
  id: id('rsp').optional(),
  name,
  backends: list(Backend),
  tags,
  createdAt: time.optional(),
});

const LoadBalancer = z.strictObject({
  id: id('lb').optional(),
  name: name.optional(),
  status: oneOf('active', 'inactive', 'locked').default('active'),
  address: address.optional(),
  addressType: oneOf('internet', 'intranet').default('internet'),
  ipVersion: oneOf('ipv4', 'ipv6').default('ipv4'),
  vSwitchId: id('vsw').optional(),
  masterZoneId: name.optional(),
  slaveZoneId: name.optional(),
  resourceGroupId: group,
  instanceChargeType: oneOf('PayBySpec', 'PayByCLCU').default('PayBySpec'),
  internetChargeType: oneOf('paybytraffic', 'paybybandwidth').default('paybytraffic'),
  bandwidth: z.int().min(1).max(5_120).default(5_120),
  /** The specification. `null` for a shared load balancer, which the cloud no longer sells. */
  spec: name.nullable().default('slb.s1.small'),
  payType: oneOf('PayOnDemand', 'PrePay').default('PayOnDemand'),
  deleteProtection: onOff,
  modificationProtection: oneOf('NonProtection', 'ConsoleProtection').default('NonProtection'),
  modificationProtectionReason: name.optional(),
  tags,
  listeners: list(Listener),
  serverGroups: list(ServerGroup),
  backends: list(Backend),
  createdAt: time.optional(),
});

const Vpc = z.strictObject({
  id: id('vpc').optional(),
  name: name.default('vpc'),
  cidrBlock: cidr,
  secondaryCidrBlocks: list(cidr),
  ipv6CidrBlock: name.optional(),
  resourceGroupId: group,
  status: oneOf('Pending', 'Available').default('Available'),
  tags,
  createdAt: time.optional(),
});

const VSwitch = z.strictObject({
  id: id('vsw').optional(),
  name: name.default('vswitch'),
  vpcId: id('vpc'),
  zoneId: name.optional(),
  cidrBlock: cidr,
  routeTableId: id('vtb').optional(),
  resourceGroupId: group,
  status: oneOf('Pending', 'Available').default('Available'),
  capacity: z.int().min(0).optional(),
  tags,
  createdAt: time.optional(),
});

const RouteEntry = z.strictObject({
  id: id('rte').optional(),
  destination: cidr,
  nextHopId: name.default(''),
  nextHopType: name.default('Instance'),
  type: oneOf('Custom', 'System').default('Custom'),
  name: name.optional(),
  description: name.optional(),
  status: oneOf('Pending', 'Available', 'Modifying').default('Available'),
});

const RouteTable = z.strictObject({
  id: id('vtb').optional(),
  name: name.default(''),
  vpcId: id('vpc'),
  type: oneOf('System', 'Custom').default('System'),
  description: name.optional(),
  resourceGroupId: group,
  entries: list(RouteEntry),
  tags,
  createdAt: time.optional(),
});

const Instance = z.strictObject({
  id: id('i').optional(),
  name: name.default(''),
  hostName: name.default(''),
  status: oneOf('Pending', 'Starting', 'Running', 'Stopping', 'Stopped').default('Running'),
  instanceType: name.default('ecs.g7.large'),
  vSwitchId: id('vsw'),
  privateAddresses: list(address),
  publicAddresses: list(address),
  /** The addresses in the classic network. */
  innerAddresses: list(address),
  /** The address by which cloud services outside the VPC reach the instance. Empty for an instance without such an address. */
  natAddress: address.or(z.literal('')).default(''),
  /** The serial number that the operating system shows, by default the id. */
  serialNumber: name.optional(),
  eip: z.strictObject({ allocationId: id('eip'), address }).optional(),
  chargeType: oneOf('PostPaid', 'PrePaid').default('PostPaid'),
  spotStrategy: name.default('NoSpot'),
  imageId: name.default('aliyun_3_x64_20G_alibase.vhd'),
  resourceGroupId: group,
  deletionProtection: z.boolean().default(false),
  tags,
  createdAt: time.optional(),
});

const NetworkInterface = z.strictObject({
  id: id('eni').optional(),
  name: name.default(''),
  description: name.default(''),
  type: oneOf('Primary', 'Secondary').default('Secondary'),
  status: oneOf('Available', 'Attaching', 'InUse', 'Detaching', 'Deleting').default('InUse'),
  instanceId: id('i').optional(),
  vSwitchId: id('vsw'),
  macAddress: name.optional(),
  privateAddresses: list(address),
  ipv6Addresses: list(address),
  securityGroupIds: list(name),
  sourceDestCheck: z.boolean().default(true),
  deleteOnRelease: z.boolean().default(true),
  resourceGroupId: group,
  tags,
  createdAt: time.optional(),
});

const Certificate = z.strictObject({
  id: name.optional(),
  name: name.default(''),
  kind: oneOf('server', 'ca').default('server'),
  commonName: name,
  alternativeNames: list(name),
  expiresAt: time,
  resourceGroupId: group,
  tags,
  createdAt: time.optional(),
});

const AccessControlList = z
  .strictObject({
    id: id('acl').optional(),
    name,
    ipVersion: oneOf('ipv4', 'ipv6').default('ipv4'),
    /** The entries: each key is a range, and its value is the comment. */
    entries: z.record(z.string(), z.string()).default({}),
    resourceGroupId: group,
    tags,
    createdAt: time.optional(),
  })
  .refine(({ entries, ipVersion }) => Object.keys(entries).every((entry) => isNetwork(entry, ipVersion)), {
    path: ['entries'],
    error: "expected addresses or ranges of the list's IP version",
  });

const Eip = z.strictObject({
  id: id('eip').optional(),
  name: name.default(''),
  address: address.optional(),
  bandwidth: z.string().regex(/^\d+$/, 'expected Mbit/s as text').default('5'),
  internetChargeType: oneOf('PayByBandwidth', 'PayByTraffic').default('PayByTraffic'),
  instanceId: name.default(''),
  instanceType: name.default(''),
  resourceGroupId: group,
  tags,
  createdAt: time.optional(),
});

const DomainExtension = z.strictObject({
  id: id('de').optional(),
  loadBalancerId: id('lb'),
  port: z.int().min(1).max(65_535),
  domain: name,
  certificateId: name,
});

const Role = z.strictObject({
  id: z.string().regex(/^acs:ram::\d+:role\/.+$/, 'expected acs:ram::ACCOUNT:role/NAME'),
  maxSessionSeconds: z.int().min(3_600).max(43_200).default(3_600),
  oidcProviders: list(name),
  oidcSubjects: list(name),
});

const AccessKey = z.strictObject({
  id: z.string().min(1),
  secret: z.string().min(1),
  token: z.string().min(1).optional(),
  expiresAt: time.optional(),
  disabled: z.boolean().default(false),
});

/** The input of `POST /_simulator/seed`: resources to create, by kind. A resource replaces an existing resource that has the same id. */
export const Seed = z.strictObject({
  vpcs: list(Vpc),
  vSwitches: list(VSwitch),
  routeTables: list(RouteTable),
  instances: list(Instance),
  networkInterfaces: list(NetworkInterface),
  eips: list(Eip),
  certificates: list(Certificate),
  accessControlLists: list(AccessControlList),
  loadBalancers: list(LoadBalancer),
  domainExtensions: list(DomainExtension),
  roles: list(Role),
  accessKeys: list(AccessKey),
  /** The ids of resources to remove. */
  remove: list(z.string()),
});

export type Seed = z.output<typeof Seed>;
export type SeedInput = z.input<typeof Seed>;
export type BackendSeed = z.output<typeof Backend>;
