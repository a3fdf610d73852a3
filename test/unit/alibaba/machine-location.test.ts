import assert from 'node:assert/strict';
import { locate } from '../../../src/alibaba/machine-location.ts';
import type { Metadata } from '../../../src/alibaba/metadata.ts';
import { parseCloudConfig, type CloudConfig } from '../../../src/base/cloud-config.ts';
import { PortcullisError } from '../../../src/base/errors.ts';

const HERE = { 'region-id': 'cn-hangzhou', 'vpc-id': 'vpc-here', 'vswitch-id': 'vsw-here' };
const never = new AbortController().signal;
const written = (global: object): CloudConfig => parseCloudConfig(JSON.stringify({ Global: global }), 'f').config;

const UNREACHABLE = 'unreachable';

/** Locates the cluster. The read of a metadata item fails if its value in `items` is `UNREACHABLE`. */
async function located(global: object, items: Readonly<Record<string, string>> | typeof UNREACHABLE = HERE) {
  const warnings: string[] = [];
  const requests: string[] = [];
  const metadata: Metadata = {
    read: async (item) => {
      requests.push(item);
      const value = items === UNREACHABLE ? UNREACHABLE : items[item];
      if (value === UNREACHABLE) throw new PortcullisError('Unavailable', 'no server answers');
      return value;
    },
  };
  const parts = { path: '/c', metadata, warn: (message: string) => void warnings.push(message) };
  const { regionId, vpcId, vSwitches } = await locate(written(global), parts, never);
  return {
    place: [regionId, vpcId, ...vSwitches.map(({ vSwitchId }) => vSwitchId)],
    warnings,
    requests,
  };
}

/** A wrong region or VPC would make the controller look for instances in the wrong place. */
describe('the location of the cluster', () => {
  const places: Record<string, [global: object, place: (string | undefined)[], requests: number]> = {
    'comes from a complete file, without a request': [
      { region: 'cn-beijing', vpcid: 'vpc-1', vswitchid: 'vsw-1' },
      ['cn-beijing', 'vpc-1', 'vsw-1'],
      0,
    ],
    'comes from the metadata of this machine with an empty file': [{}, ['cn-hangzhou', 'vpc-here', 'vsw-here'], 3],
    'is completed if the file has only the region, as in the guide for self-managed clusters': [
      { region: 'cn-hangzhou' },
      ['cn-hangzhou', 'vpc-here', 'vsw-here'],
      3,
    ],
    'has the VPC of the file, and no vSwitch of another VPC': [
      { region: 'cn-hangzhou', vpcid: 'vpc-1' },
      ['cn-hangzhou', 'vpc-1'],
      2,
    ],
    'has the vSwitch of the file': [{ vswitchid: 'vsw-1' }, ['cn-hangzhou', 'vpc-here', 'vsw-1'], 2],
    'has the region of this machine if the file has all other values': [
      { vpcid: 'vpc-1', vswitchid: 'vsw-1' },
      ['cn-hangzhou', 'vpc-1', 'vsw-1'],
      1,
    ],
    'has no VPC of another region': [{ region: 'cn-beijing' }, ['cn-beijing', undefined], 1],
  };
  for (const [what, [global, place, count]] of Object.entries(places)) {
    it(what, async () => {
      const found = await located(global);
      assert.deepEqual([found.place, found.requests.length], [place, count]);
    });
  }

  it('causes a warning if the file names only a region, and this machine is in another region', async () =>
    assert.deepEqual((await located({ region: 'cn-beijing' })).warnings, [
      'cloud-config: Global.vpcid and Global.vswitchid must be set: this machine is in region cn-hangzhou and Global.region is cn-beijing, so its metadata cannot replace the missing values',
    ]));

  it('lacks the vSwitch, with a warning, if neither file nor metadata contains it', async () => {
    const { place, warnings } = await located({ region: 'cn-beijing', vpcid: 'vpc-1' }, UNREACHABLE);
    assert.deepEqual(place, ['cn-beijing', 'vpc-1']);
    assert.deepEqual(warnings, [
      'cloud-config: Global.vswitchid must be set: the metadata of this machine cannot replace the missing values (no server answers)',
    ]);
  });

  for (const item of ['vpc-id', 'vswitch-id']) {
    for (const [what, global] of Object.entries({
      'in the file': { region: 'cn-hangzhou' },
      'in the metadata': {},
    })) {
      it(`has neither VPC nor vSwitch, with a warning, if the region is ${what} and the read of ${item} fails`, async () => {
        const { place, warnings } = await located(global, { ...HERE, [item]: UNREACHABLE });
        assert.deepEqual(place, ['cn-hangzhou', undefined]);
        assert.deepEqual(warnings, [
          'cloud-config: Global.vpcid and Global.vswitchid must be set: the metadata of this machine cannot replace the missing values (no server answers)',
        ]);
      });
    }
  }

  for (const [what, items] of Object.entries({
    'cannot be reached': UNREACHABLE,
    'contains no region': {},
  } as const)) {
    it(`is an error if the file has no region and the metadata ${what}`, () =>
      assert.rejects(located({}, items), {
        reason: 'InvalidConfiguration',
        message:
          /^cloud-config file \/c: Global\.region is not set, and the metadata of this machine cannot replace the value \(.*\): set Global\.region, such as/,
      }));
  }
});
