import assert from 'node:assert/strict';
import type { Node } from '../../../../src/base/kubernetes-objects.ts';
import {
  conditionStatus,
  counted,
  nodeBench,
  podRange,
  registered,
  startedNodeBench,
  UNINITIALIZED,
} from '../../../support/node-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Bench = ReturnType<typeof nodeBench>;

const keys = (node: Node | undefined): string[] => (node?.spec?.taints ?? []).map(({ key }) => key);
const withRange = (index: number, providerID = `cn-hangzhou.i-${index}`): object =>
  registered(index, { providerID, podCIDR: podRange(index) });
/** Returns a Node from which another controller removed the taint. */
function inUse(index: number, providerID?: string): object {
  const node = withRange(index, providerID) as Node;
  return { ...node, spec: { ...node.spec, taints: [] } };
}
const upTo = (count: number, of: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => of(index + 1));
const networkMessage = (bench: Bench, name: string): string | undefined =>
  bench.node(name)?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.message;
const warnings = (bench: Bench): string[] =>
  bench.kubernetes.events
    .filter(({ type }) => type === 'Warning')
    .map(({ target, reason, message }) => `${target.name} ${reason}: ${message}`);
const forbid = (bench: Bench, action: string): void =>
  bench.simulator.faults([{ action, effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' }]);
const sourceDestCheck = (bench: Bench, id: string): boolean | undefined =>
  bench.simulator.world.networkInterfaces.rows().find(({ instanceId }) => instanceId === id)?.sourceDestCheck;

/** One cause can affect all Nodes, and an event for each Node would hide the cause and flood the API server. */
describe('a problem of all Nodes is reported once', () => {
  it('if the controller has no permission to list instances', async () => {
    await using bench = nodeBench({ instances: 30 });
    forbid(bench, 'DescribeInstances');
    for (const node of upTo(30, withRange)) bench.put(node);
    bench.start();
    await bench.clock.advance(5 * MINUTE);
    const [only, ...others] = warnings(bench);
    assert.match(only ?? '', /^ccm CloudPermissionDenied: .*permission ecs:DescribeInstances is missing/);
    assert.deepEqual(others, []);
  });

  it('if the cloud returns no instance', async () => {
    await using bench = await startedNodeBench({ world: { instances: [] } }, upTo(30, withRange));
    await bench.clock.advance(5 * MINUTE);
    const reported = warnings(bench).filter((line) => line.includes('DescribeInstances'));
    assert.equal(reported.length, 1);
    assert.match(
      reported[0] ?? '',
      /^ccm CloudPermissionDenied: DescribeInstances returns none of .* check the permission/,
    );
  });

  for (const providerID of [undefined, ''])
    it(`if the cloud rejects requests for ${providerID === undefined ? 'single' : 'all'} instances of the VPC`, async () => {
      await using bench = nodeBench({ instances: 30 });
      const code = 'InvalidRegionId.NotFound';
      bench.simulator.faults([{ action: 'DescribeInstances', effect: 'reject', code, status: 404, count: 'forever' }]);
      for (const node of upTo(30, (index) => withRange(index, providerID))) bench.put(node);
      bench.start();
      await bench.clock.advance(5 * MINUTE);
      const reported = warnings(bench);
      assert.equal(reported.length, 1);
      assert.match(reported[0] ?? '', /^ccm SyncNodeFailed: DescribeInstances: .*InvalidRegionId.NotFound/);
    });

  it('if forwarding cannot be enabled on interfaces, with at most one call per minute', async () => {
    await using bench = nodeBench({ instances: 30 });
    forbid(bench, 'ModifyNetworkInterfaceAttribute');
    forbid(bench, 'DescribeNetworkInterfaces');
    for (const node of upTo(30, withRange)) bench.put(node);
    bench.start();
    await bench.clock.advance(MINUTE);
    const reported = warnings(bench);
    assert.equal(reported.length, 1);
    assert.match(reported[0] ?? '', /^ccm CloudPermissionDenied: .*source\/destination check/);
    assert.ok((counted(bench.calls())['DescribeNetworkInterfaces'] ?? 0) <= 2);
    assert.ok(
      upTo(30, (index) => bench.node(`n${index}`) ?? {}).every((node) => !keys(node as Node).includes(UNINITIALIZED)),
    );
  });

  it('if the region is wrong', async () => {
    const elsewhere = (index: number): object => withRange(index, `cn-beijing.i-${index}`);
    const old = (index: number): object => inUse(index + 10, `cn-beijing.i-${index + 10}`);
    await using bench = await startedNodeBench({}, [...upTo(10, elsewhere), ...upTo(10, old)]);
    await bench.clock.advance(9 * MINUTE);
    assert.deepEqual(warnings(bench), [
      'ccm SyncNodeFailed: no Node is in region cn-hangzhou, which this controller manages, but Nodes are in region cn-beijing; correct Global.region in the cloud-config file, or run another controller in that region',
    ]);
    assert.deepEqual(
      bench.calls().filter((action) => action === 'DescribeInstances'),
      [],
    );
  });

  it('if the permission for routes is missing, and each Node has it in its condition', async () => {
    await using bench = nodeBench({ instances: 20 });
    forbid(bench, 'CreateRouteEntries');
    for (const node of upTo(20, withRange)) bench.put(node);
    bench.start();
    await bench.clock.advance(5 * MINUTE);
    assert.equal(warnings(bench).length, 1);
    assert.match(warnings(bench)[0] ?? '', /^ccm CloudPermissionDenied: .*vpc:CreateRouteEntries is missing/);
    for (const index of [1, 20])
      assert.equal(
        networkMessage(bench, `n${index}`),
        `A route to ${podRange(index)} is missing: CreateRouteEntries: permission vpc:CreateRouteEntries is missing; grant the permission to the RAM user or role (Forbidden.RAM)`,
      );
  });
});

describe('a new Node that waits for a minute gets the reason in an event', () => {
  const kept = async (action: string, code: string): Promise<Bench> => {
    const bench = nodeBench({ controllers: ['node'], instances: 20 });
    bench.simulator.faults([{ action, effect: 'reject', code, status: 400, count: 'forever' }]);
    for (const node of upTo(20, withRange)) bench.put(node);
    bench.start();
    await bench.clock.advance(50 * SECOND);
    assert.deepEqual(warnings(bench), []);
    await bench.clock.advance(8 * MINUTE);
    return bench;
  };

  it('if all calls are throttled, with one event for all Nodes', async () => {
    await using bench = await kept('DescribeInstances', 'Throttling.User');
    const [only, ...others] = warnings(bench);
    assert.match(only ?? '', /^ccm SyncNodeFailed: DescribeInstances/);
    assert.deepEqual(others, []);
  });

  it('if its network interface changes all the time', async () => {
    await using bench = await kept('ModifyNetworkInterfaceAttribute', 'InvalidOperation.Conflict');
    const reported = warnings(bench);
    assert.equal(reported.length, 20);
    assert.ok(reported.every((line) => /^n\d+ AddNodeFailed: ModifyNetworkInterfaceAttribute/.test(line)));
  });
});

describe('a Node in use', () => {
  it('of another cloud gets an event and does not delay other Nodes', async () => {
    await using bench = await startedNodeBench({}, [inUse(1, 'aws:///eu/i-1'), withRange(2)]);
    await bench.clock.advance(MINUTE);
    assert.match(
      warnings(bench).join('\n'),
      /^n1 SyncNodeFailed: the provider ID "aws:\/\/\/eu\/i-1" names no instance of this cloud; .*exclude-node$/,
    );
    assert.equal(conditionStatus(bench.node('n2'), 'NetworkUnavailable'), 'False');
  });

  it('with a provider ID of any length gets advice in an event', async () => {
    await using bench = await startedNodeBench({}, [inUse(1, 'x'.repeat(10_000))]);
    assert.match(
      warnings(bench).join('\n'),
      /^n1 SyncNodeFailed: the provider ID "x{60}…" names no instance of this cloud; /,
    );
  });

  it('of another region gets an event and does not delay other Nodes', async () => {
    await using bench = await startedNodeBench({}, [inUse(1, 'cn-beijing.i-1'), withRange(2)]);
    await bench.clock.advance(MINUTE);
    assert.match(warnings(bench).join('\n'), /^n1 SyncNodeFailed: the instance i-1 is in region cn-beijing, but this/);
    assert.equal(conditionStatus(bench.node('n2'), 'NetworkUnavailable'), 'False');
  });

  it('of another region gets an event if no other Node has a provider ID', async () => {
    await using bench = await startedNodeBench({}, [inUse(1, 'cn-beijing.i-1'), inUse(9, '')]);
    assert.match(warnings(bench).join('\n'), /^n1 SyncNodeFailed: the instance i-1 is in region cn-beijing/m);
  });

  const ELSEWHERE = ['aws:///eu/i-1', 'cn-beijing.i-1'];
  for (const [whether, made] of Object.entries({ 'in use': inUse, new: withRange }))
    for (const [company, others] of Object.entries({ alone: [], 'with other Nodes': [withRange(2)] }))
      it(`that is excluded gets no event for any provider ID, ${whether} and ${company}`, async () => {
        const labels = { 'service.alibabacloud.com/exclude-node': '' };
        const excluded = [1, 3].flatMap((index) =>
          ELSEWHERE.map((providerID, nth) => {
            const node = made(index + 10 * nth, providerID) as Node;
            return { ...node, metadata: { ...node.metadata, labels } };
          }),
        );
        await using bench = await startedNodeBench({}, [...excluded, ...others]);
        await bench.clock.advance(25 * MINUTE);
        assert.deepEqual(warnings(bench), []);
      });

  it('gets forwarding on its network interface like a new Node, with one call per interface', async () => {
    await using bench = await startedNodeBench({}, [inUse(1), inUse(2)]);
    await bench.clock.advance(20 * MINUTE);
    assert.deepEqual([sourceDestCheck(bench, 'i-1'), sourceDestCheck(bench, 'i-2')], [false, false]);
    const calls = counted(bench.calls());
    assert.deepEqual([calls['DescribeNetworkInterfaces'], calls['ModifyNetworkInterfaceAttribute']], [1, 2]);
  });

  it('stays up to date although forwarding on its network interface cannot be enabled', async () => {
    await using bench = nodeBench();
    bench.simulator.faults([
      { action: 'ModifyNetworkInterfaceAttribute', effect: 'reject', code: 'InvalidEniId.NotFound', count: 'forever' },
    ]);
    bench.put(inUse(1));
    bench.start();
    await bench.clock.advance(SECOND);
    assert.equal(bench.node('n1')?.metadata.labels?.['topology.kubernetes.io/zone'], 'cn-hangzhou-a');
    assert.match(warnings(bench).join('\n'), /^n1 SyncNodeFailed: .*InvalidEniId.NotFound/);
  });

  it('keeps the source check of its network interface by flag, and without routes', async () => {
    for (const flag of ['--skip-disable-source-dest-check', '--configure-cloud-routes=false']) {
      await using bench = await startedNodeBench({ flags: [flag] }, [inUse(1)]);
      await bench.clock.advance(MINUTE);
      assert.equal(sourceDestCheck(bench, 'i-1'), true, flag);
    }
  });
});
