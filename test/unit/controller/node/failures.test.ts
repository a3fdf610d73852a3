import assert from 'node:assert/strict';
import type { Node } from '../../../../src/base/objects.ts';
import {
  conditionStatus,
  counted,
  nodeStand,
  podRange,
  registered,
  startedNodeStand,
  UNINITIALIZED,
} from '../../../support/node-bench.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Stand = ReturnType<typeof nodeStand>;

const keys = (node: Node | undefined): string[] => (node?.spec?.taints ?? []).map(({ key }) => key);
const withRange = (index: number, providerID = `cn-hangzhou.i-${index}`): object =>
  registered(index, { providerID, podCIDR: podRange(index) });
/** One that somebody else has let in. */
function inUse(index: number, providerID?: string): object {
  const node = withRange(index, providerID) as Node;
  return { ...node, spec: { ...node.spec, taints: [] } };
}
const upTo = (count: number, of: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => of(index + 1));
const said = (stand: Stand, name: string): string | undefined =>
  stand.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message;
const warnings = (stand: Stand): string[] =>
  stand.kubernetes.told
    .filter(({ type }) => type === 'Warning')
    .map(({ target, reason, message }) => `${target.name} ${reason}: ${message}`);
const forbid = (stand: Stand, action: string): void =>
  stand.simulator.faults([{ action, effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' }]);
const sourceDestCheck = (stand: Stand, id: string): boolean | undefined =>
  stand.simulator.world.networkInterfaces.rows().find(({ instanceId }) => instanceId === id)?.sourceDestCheck;

describe('what keeps all Nodes waiting is told once', () => {
  it('when instances may not be read', async () => {
    await using stand = nodeStand({ instances: 30 });
    forbid(stand, 'DescribeInstances');
    for (const node of upTo(30, withRange)) stand.put(node);
    stand.start();
    await stand.clock.advance(5 * MINUTE);
    const [only, ...others] = warnings(stand);
    assert.match(only ?? '', /^ccm CloudPermissionDenied: .*permission ecs:DescribeInstances is missing/);
    assert.deepEqual(others, []);
  });

  it('when the cloud answers nothing at all', async () => {
    await using stand = await startedNodeStand({ world: { instances: [] } }, upTo(30, withRange));
    await stand.clock.advance(5 * MINUTE);
    const told = warnings(stand).filter((line) => line.includes('DescribeInstances'));
    assert.equal(told.length, 1);
    assert.match(
      told[0] ?? '',
      /^ccm CloudPermissionDenied: DescribeInstances answered none of .* check the permission/,
    );
  });

  for (const providerID of [undefined, ''])
    it(`when the cloud refuses the question for ${providerID === undefined ? 'instances' : 'all of the VPC'}`, async () => {
      await using stand = nodeStand({ instances: 30 });
      const code = 'InvalidRegionId.NotFound';
      stand.simulator.faults([{ action: 'DescribeInstances', effect: 'refuse', code, status: 404, count: 'forever' }]);
      for (const node of upTo(30, (index) => withRange(index, providerID))) stand.put(node);
      stand.start();
      await stand.clock.advance(5 * MINUTE);
      const told = warnings(stand);
      assert.equal(told.length, 1);
      assert.match(told[0] ?? '', /^ccm SyncNodeFailed: DescribeInstances: .*InvalidRegionId.NotFound/);
    });

  it('when interfaces may not be opened, with a call a minute at most', async () => {
    await using stand = nodeStand({ instances: 30 });
    forbid(stand, 'ModifyNetworkInterfaceAttribute');
    forbid(stand, 'DescribeNetworkInterfaces');
    for (const node of upTo(30, withRange)) stand.put(node);
    stand.start();
    await stand.clock.advance(MINUTE);
    const told = warnings(stand);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^ccm CloudPermissionDenied: .*source\/destination check/);
    assert.ok((counted(stand.calls())['DescribeNetworkInterfaces'] ?? 0) <= 2);
    assert.ok(
      upTo(30, (index) => stand.node(`n${index}`) ?? {}).every((node) => !keys(node as Node).includes(UNINITIALIZED)),
    );
  });

  it('when the region is the wrong one', async () => {
    const elsewhere = (index: number): object => withRange(index, `cn-beijing.i-${index}`);
    const old = (index: number): object => inUse(index + 10, `cn-beijing.i-${index + 10}`);
    await using stand = await startedNodeStand({}, [...upTo(10, elsewhere), ...upTo(10, old)]);
    await stand.clock.advance(9 * MINUTE);
    assert.deepEqual(warnings(stand), [
      'ccm SyncNodeFailed: no Node is in region cn-hangzhou, which this controller looks after, and some are in cn-beijing: correct Global.region of the cloud-config, or run a controller there',
    ]);
    assert.deepEqual(
      stand.calls().filter((action) => action === 'DescribeInstances'),
      [],
    );
  });

  it('when routes may not be made, and every Node says so in its condition', async () => {
    await using stand = nodeStand({ instances: 20 });
    forbid(stand, 'CreateRouteEntries');
    for (const node of upTo(20, withRange)) stand.put(node);
    stand.start();
    await stand.clock.advance(5 * MINUTE);
    assert.equal(warnings(stand).length, 1);
    assert.match(warnings(stand)[0] ?? '', /^ccm CloudPermissionDenied: .*vpc:CreateRouteEntries is missing/);
    for (const index of [1, 20])
      assert.equal(
        said(stand, `n${index}`),
        `A route to ${podRange(index)} is missing: CreateRouteEntries: permission vpc:CreateRouteEntries is missing; grant it to the RAM user or role (Forbidden.RAM)`,
      );
  });
});

describe('a new Node that is kept waiting for a minute is told why', () => {
  const kept = async (action: string, code: string): Promise<Stand> => {
    const stand = nodeStand({ controllers: ['node'], instances: 20 });
    stand.simulator.faults([{ action, effect: 'refuse', code, status: 400, count: 'forever' }]);
    for (const node of upTo(20, withRange)) stand.put(node);
    stand.start();
    await stand.clock.advance(50 * SECOND);
    assert.deepEqual(warnings(stand), []);
    await stand.clock.advance(8 * MINUTE);
    return stand;
  };

  it('where all calls are throttled, once for all', async () => {
    await using stand = await kept('DescribeInstances', 'Throttling.User');
    const [only, ...others] = warnings(stand);
    assert.match(only ?? '', /^ccm SyncNodeFailed: DescribeInstances/);
    assert.deepEqual(others, []);
  });

  it('where its interface is being changed all the time', async () => {
    await using stand = await kept('ModifyNetworkInterfaceAttribute', 'InvalidOperation.Conflict');
    const told = warnings(stand);
    assert.equal(told.length, 20);
    assert.ok(told.every((line) => /^n\d+ AddNodeFailed: ModifyNetworkInterfaceAttribute/.test(line)));
  });
});

describe('a Node in use', () => {
  it('of another cloud is told of, and others are looked after', async () => {
    await using stand = await startedNodeStand({}, [inUse(1, 'aws:///eu/i-1'), withRange(2)]);
    await stand.clock.advance(MINUTE);
    assert.match(
      warnings(stand).join('\n'),
      /^n1 SyncNodeFailed: the provider ID "aws:\/\/\/eu\/i-1" names no instance of this cloud: .*exclude-node$/,
    );
    assert.equal(conditionStatus(stand.node('n2'), 'NetworkUnavailable'), 'False');
  });

  it('with a provider ID of any length is told what to do', async () => {
    await using stand = await startedNodeStand({}, [inUse(1, 'x'.repeat(10_000))]);
    assert.match(
      warnings(stand).join('\n'),
      /^n1 SyncNodeFailed: the provider ID "x{60}…" names no instance of this cloud: /,
    );
  });

  it('of another region is told of, and others are looked after', async () => {
    await using stand = await startedNodeStand({}, [inUse(1, 'cn-beijing.i-1'), withRange(2)]);
    await stand.clock.advance(MINUTE);
    assert.match(warnings(stand).join('\n'), /^n1 SyncNodeFailed: the instance i-1 is in region cn-beijing, and this/);
    assert.equal(conditionStatus(stand.node('n2'), 'NetworkUnavailable'), 'False');
  });

  it('of another region is told of beside Nodes that do not say where they are', async () => {
    await using stand = await startedNodeStand({}, [inUse(1, 'cn-beijing.i-1'), inUse(9, '')]);
    assert.match(warnings(stand).join('\n'), /^n1 SyncNodeFailed: the instance i-1 is in region cn-beijing/m);
  });

  const ELSEWHERE = ['aws:///eu/i-1', 'cn-beijing.i-1'];
  for (const [whether, made] of Object.entries({ 'in use': inUse, new: withRange }))
    for (const [beside, others] of Object.entries({ alone: [], 'beside others': [withRange(2)] }))
      it(`that is excluded is told nothing, whatever its provider ID, ${whether} and ${beside}`, async () => {
        const labels = { 'service.alibabacloud.com/exclude-node': '' };
        const excluded = [1, 3].flatMap((index) =>
          ELSEWHERE.map((providerID, nth) => {
            const node = made(index + 10 * nth, providerID) as Node;
            return { ...node, metadata: { ...node.metadata, labels } };
          }),
        );
        await using stand = await startedNodeStand({}, [...excluded, ...others]);
        await stand.clock.advance(25 * MINUTE);
        assert.deepEqual(warnings(stand), []);
      });

  it('has its interface opened too, and is asked for it once', async () => {
    await using stand = await startedNodeStand({}, [inUse(1), inUse(2)]);
    await stand.clock.advance(20 * MINUTE);
    assert.deepEqual([sourceDestCheck(stand, 'i-1'), sourceDestCheck(stand, 'i-2')], [false, false]);
    const calls = counted(stand.calls());
    assert.deepEqual([calls['DescribeNetworkInterfaces'], calls['ModifyNetworkInterfaceAttribute']], [1, 2]);
  });

  it('is kept up to date although its interface cannot be opened', async () => {
    await using stand = nodeStand();
    stand.simulator.faults([
      { action: 'ModifyNetworkInterfaceAttribute', effect: 'refuse', code: 'InvalidEniId.NotFound', count: 'forever' },
    ]);
    stand.put(inUse(1));
    stand.start();
    await stand.clock.advance(SECOND);
    assert.equal(stand.node('n1')?.metadata.labels?.['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    assert.match(warnings(stand).join('\n'), /^n1 SyncNodeFailed: .*InvalidEniId.NotFound/);
  });

  it('keeps the check of addresses where that is asked for, and where no routes are made', async () => {
    for (const flag of ['--skip-disable-source-dest-check', '--configure-cloud-routes=false']) {
      await using stand = await startedNodeStand({ flags: [flag] }, [inUse(1)]);
      await stand.clock.advance(MINUTE);
      assert.equal(sourceDestCheck(stand, 'i-1'), true, flag);
    }
  });
});
