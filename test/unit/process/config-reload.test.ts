import assert from 'node:assert/strict';
import { parseCloudConfig, type CloudConfigFile } from '../../../src/base/cloud-config.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import { FollowedConfig, REMIND_MS } from '../../../src/process/config-reload.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const BEFORE = { clusterID: 'c1', region: 'cn-hangzhou', vpcid: 'vpc-1', vswitchid: 'vsw-1' };
const fileOf = (global: object): CloudConfigFile => parseCloudConfig(JSON.stringify({ Global: global }), 'f');

/** Follows a file that a test changes. Records the runs with their configuration and result. */
function followed(before: object = BEFORE) {
  const clock = new VirtualClock();
  const events: string[] = [];
  const noted: string[] = [];
  const warned: string[] = [];
  const ran: { resourceGroup: string; disablePublicSLB: boolean; cluster: string; vpc: string | undefined }[] = [];
  const state = { file: () => fileOf(before), leads: true };
  const { config, warnings } = fileOf(before);
  const follow = new FollowedConfig({
    read: async () => state.file(),
    written: config,
    located: { vpcId: 'vpc-here', ...config, regionId: config.regionId ?? 'cn-hangzhou' },
    clock,
    warnings,
    warn: (message) => void warned.push(message),
    note: (kind, message) => void noted.push(`${kind}: ${message}`),
    report: (kind, message) => {
      if (state.leads) events.push(`${kind}: ${message}`);
      return state.leads;
    },
  });
  const stop = new AbortController();
  const running = { count: 0 };
  const work = Promise.all([
    follow.run(stop.signal),
    follow.keepRunning(async ({ resourceGroupId = '', disablePublicSLB, clusterId, vpcId }, signal) => {
      running.count += 1;
      ran.push({ resourceGroup: resourceGroupId, disablePublicSLB, cluster: clusterId, vpc: vpcId });
      await clock.sleep(3_600_000, signal).catch(() => undefined);
      // Running reconciles take time to finish.
      await clock.sleep(1_000);
      running.count -= 1;
    }, stop.signal),
  ]);
  return {
    ...{ clock, events, noted, warned, ran, follow, running, state },
    write: async (global: object | Error) => {
      state.file = () => {
        if (global instanceof Error) throw global;
        return fileOf(global);
      };
      await clock.advance(10_000);
    },
    stop: async () => {
      stop.abort(new Error('stop'));
      await clock.complete(work);
    },
  };
}

/** A changed cloud-config must apply without a restart, and an invalid cloud-config must not stop the controllers. */
describe('the reload of a cloud-config file', () => {
  it('changes nothing for an equal file in another form or with other access keys', async () => {
    const { ran, events, write, stop } = followed();
    await write({ ...BEFORE, accessKeyID: 'aWQ=', accessKeySecret: 'c2VjcmV0', vswitchid: ' vsw-1 ' });
    await stop();
    assert.deepEqual([ran.length, events], [1, []]);
  });

  it('warns once about a new key without effect', async () => {
    const { ran, events, warned, write, stop } = followed({ ...BEFORE, uid: '1' });
    await write({ ...BEFORE, uid: '1', zoneid: 'cn-hangzhou-b' });
    await write({ ...BEFORE, zoneid: 'cn-hangzhou-b' });
    await stop();
    assert.deepEqual([ran.length, events], [1, []]);
    assert.deepEqual(warned, [
      'cloud-config: Global.zoneid has no effect: the controller uses the vSwitches of vswitchid in their order',
    ]);
  });

  it('restarts the controllers with the changes, after the previous controllers ended', async () => {
    const { ran, events, write, stop, running } = followed();
    await write({ ...BEFORE, resourceGroupID: 'rg-1', disablePublicSLB: true });
    assert.equal(running.count, 1);
    await stop();
    assert.deepEqual(
      ran.map(({ resourceGroup, disablePublicSLB }) => [resourceGroup, disablePublicSLB]),
      [
        ['', false],
        ['rg-1', true],
      ],
    );
    assert.deepEqual(events, [
      'CloudConfigChanged: the cloud-config file changed: the controllers restart with the new configuration',
    ]);
  });

  it('keeps the old configuration while the file is invalid, with a single warning', async () => {
    const { ran, events, write, stop, follow, clock } = followed();
    await write(new PortcullisError('InvalidConfiguration', 'unknown key Global.regoin; did you mean region?'));
    await clock.advance(60_000);
    assert.deepEqual([follow.isUpToDate, ran.length], [false, 1]);
    assert.deepEqual(events, [
      'CloudConfigRejected: unknown key Global.regoin; did you mean region?; the previous configuration stays in effect',
    ]);
    await write({ ...BEFORE, resourceGroupID: 'rg-1' });
    assert.equal(follow.isUpToDate, true);
    await stop();
    assert.equal(ran.length, 2);
  });

  const REJECTED = new PortcullisError('InvalidConfiguration', 'it is broken');
  const REJECTION = 'CloudConfigRejected: it is broken; the previous configuration stays in effect';

  it('reports an invalid file as leader, even if it logged the same file as a follower', async () => {
    const { events, noted, write, stop, state, clock } = followed();
    await write(new PortcullisError('InvalidConfiguration', 'it is empty'));
    state.leads = false;
    await write(REJECTED);
    assert.deepEqual([events.length, noted.at(-1)], [1, REJECTION]);
    state.leads = true;
    await clock.advance(10_000);
    await stop();
    assert.deepEqual([events[1], events.length, noted.length], [REJECTION, 2, 2]);
  });

  it('reports an invalid file repeatedly', async () => {
    const { events, noted, write, stop, clock } = followed();
    await write(REJECTED);
    await clock.advance(REMIND_MS);
    assert.deepEqual([events, noted], [[REJECTION, REJECTION], [REJECTION]]);
    await write(BEFORE);
    await clock.advance(2 * REMIND_MS);
    await stop();
    assert.equal(events.length, 2);
  });

  it('accepts the first cluster id, and no other after it', async () => {
    const { region, vpcid, vswitchid } = BEFORE;
    const nameless = { region, vpcid, vswitchid };
    const { ran, events, write, stop, follow } = followed(nameless);
    await write(BEFORE);
    assert.equal(follow.isUpToDate, true);
    await write({ ...BEFORE, clusterID: 'c2' });
    assert.equal(follow.isUpToDate, false);
    await write(nameless);
    assert.equal(follow.isUpToDate, false);
    await stop();
    assert.deepEqual(
      ran.map(({ cluster }) => cluster),
      ['clusterid', 'c1'],
    );
    assert.match(
      events.join('\n'),
      /^ClusterIDMissing: .*Set the id of the cluster.*\nCloudConfigChanged: .*\nCloudConfigNeedsRestart: .* only after a restart: clusterID;/,
    );
  });

  const fixed: Record<string, [before: object, after: object, message: string]> = {
    'the id of the cluster': [BEFORE, { ...BEFORE, clusterID: 'c2' }, 'clusterID'],
    'the region and the VPC': [BEFORE, { ...BEFORE, region: 'cn-beijing', vpcid: 'vpc-2' }, 'region, vpcid'],
    'a VPC other than the VPC of this machine': [{ clusterID: 'c1' }, { clusterID: 'c1', vpcid: 'vpc-2' }, 'vpcid'],
    'removed vSwitches': [BEFORE, { ...BEFORE, vswitchid: '' }, 'the removal of vswitchid'],
    'the kind of endpoint objects': [
      BEFORE,
      { ...BEFORE, featureGates: 'EndpointSlice=false' },
      'the feature gate EndpointSlice',
    ],
  };
  for (const [what, [before, after, message]] of Object.entries(fixed)) {
    it(`requires a restart for ${what}, and applies the rest`, async () => {
      const { ran, events, write, stop, follow } = followed(before);
      await write({ ...after, resourceGroupID: 'rg-1' });
      assert.equal(follow.isUpToDate, false);
      await stop();
      const [first, second] = ran;
      assert.deepEqual([second?.resourceGroup, second?.cluster, second?.vpc], ['rg-1', first?.cluster, first?.vpc]);
      assert.deepEqual(events.slice(1), [
        `CloudConfigNeedsRestart: a change of the cloud-config file takes effect only after a restart: ${message}; restart the controller`,
      ]);
    });
  }

  it('requires no restart for a region that was read from this machine before', async () => {
    const { ran, events, write, stop } = followed({ clusterID: 'c1' });
    await write({ clusterID: 'c1', region: 'cn-hangzhou', vpcid: 'vpc-here' });
    await stop();
    assert.deepEqual([ran.length, events], [1, []]);
  });

  it('ends with the controllers', async () => {
    const clock = new VirtualClock();
    const { config } = fileOf(BEFORE);
    const located = { ...config, regionId: 'cn-hangzhou' };
    const follow = new FollowedConfig({
      ...{ read: async () => fileOf(BEFORE), written: config, located, clock },
      ...{ warnings: [], warn: () => assert.fail('there is nothing to warn of') },
      note: () => assert.fail('nothing is to be noted'),
      report: () => assert.fail('nothing to report was expected'),
    });
    const never = new AbortController().signal;
    await follow.keepRunning(() => Promise.resolve(), never);
    await assert.rejects(
      follow.keepRunning(() => Promise.reject(new Error('broken')), never),
      { message: 'broken' },
    );
  });
});
