import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import type { Registration } from './kubelet.ts';

/** Parts of which the scenarios of integration/nodes are composed. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
/** Milliseconds within which every Node is reconciled again. */
export const A_PASS = 6 * MINUTE;
/** Milliseconds within which route tables are read again. */
export const AN_AUDIT = HOUR + MINUTE;

/** Returns a Node such as `n7` whose kubelet has the provider ID of instance `i-7`. */
export const on = (index: number, overrides: Partial<Registration> = {}): Registration => ({
  name: `n${index}`,
  providerId: `cn-hangzhou.i-${index}`,
  ...overrides,
});

/** Returns a Node such as `n7` whose kubelet has no provider ID. */
export const unknown = (index: number, overrides: Partial<Registration> = {}): Registration => ({
  name: `n${index}`,
  ...overrides,
});

type InstanceSeed = NonNullable<SeedInput['instances']>[number];

/** Returns a changed instance such as `i-7`. */
export const instance = (index: number, overrides: Partial<InstanceSeed>): SeedInput => ({
  instances: [
    {
      id: `i-${index}`,
      name: `node-${index}`,
      vSwitchId: 'vsw-1',
      privateAddresses: [`10.1.0.${index + 10}`],
      ...overrides,
    },
  ],
});

type EntrySeed = NonNullable<NonNullable<SeedInput['routeTables']>[number]['entries']>[number];

/** Returns the route table `vtb-1` with these entries. */
export const table = (...entries: readonly EntrySeed[]): SeedInput => ({
  routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: [...entries] }],
});

/** A second route table of the VPC. */
export const SECOND_TABLE: SeedInput = { routeTables: [{ id: 'vtb-2', vpcId: 'vpc-1', type: 'Custom' }] };

/** Another VPC, with an instance `i-9` and a route table `vtb-9`. */
export const OTHER_VPC: SeedInput = {
  vpcs: [{ id: 'vpc-9', cidrBlock: '192.168.0.0/16' }],
  routeTables: [{ id: 'vtb-9', vpcId: 'vpc-9' }],
  vSwitches: [{ id: 'vsw-9', vpcId: 'vpc-9', cidrBlock: '192.168.1.0/24', zoneId: 'cn-hangzhou-b' }],
  instances: [{ id: 'i-9', name: 'elsewhere', vSwitchId: 'vsw-9', privateAddresses: ['192.168.1.9'] }],
};

export const label = (of: string, labels: Readonly<Record<string, string | null>>) => ({
  patch: { metadata: { labels } },
  of,
});

export const EXCLUDE = 'service.alibabacloud.com/exclude-node';
