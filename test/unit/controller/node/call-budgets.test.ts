import assert from 'node:assert/strict';
import type { Node } from '../../../../src/base/kubernetes-objects.ts';
import { counted, registered, startedNodeBench } from '../../../support/node-fixture.ts';

const MINUTE = 60_000;

/** The cloud limits calls for instances, so many Nodes must share a call. */
describe('the cloud calls for Nodes', () => {
  it('are one for fifty new Nodes, one for their interfaces, and one for each interface', async () => {
    const nodes = Array.from({ length: 50 }, (_, index) => registered(index + 1));
    await using bench = await startedNodeBench({ controllers: ['node'], instances: 50 }, nodes);
    await bench.clock.advance(4 * MINUTE);
    assert.deepEqual(counted(bench.calls()), {
      DescribeInstances: 1,
      DescribeNetworkInterfaces: 1,
      ModifyNetworkInterfaceAttribute: 50,
    });
  });

  it('list instances and interfaces once per second while a hundred Nodes join', async () => {
    await using bench = await startedNodeBench({ controllers: ['node'], instances: 100 }, []);
    for (let index = 1; index <= 100; index += 1) {
      bench.put(registered(index));
      await bench.clock.advance(100);
    }
    await bench.clock.advance(MINUTE);
    assert.deepEqual(counted(bench.calls()), {
      DescribeInstances: 11,
      DescribeNetworkInterfaces: 11,
      ModifyNetworkInterfaceAttribute: 100,
    });
  });

  it('are ten in five minutes for a thousand healthy Nodes', async () => {
    const nodes = Array.from({ length: 1000 }, (_, index) => {
      const node = registered(index + 1) as Node;
      return { ...node, spec: { providerID: node.spec?.providerID } };
    });
    const instances = nodes.map((_, index) => ({
      id: `i-${index + 1}`,
      vSwitchId: 'vsw-1',
      privateAddresses: [`10.1.${Math.floor(index / 250) + 1}.${(index % 250) + 1}`],
    }));
    const networkInterfaces = instances.map(({ id, vSwitchId, privateAddresses }) => ({
      ...{ type: 'Primary' as const, instanceId: id, vSwitchId, privateAddresses, sourceDestCheck: false },
    }));
    await using bench = await startedNodeBench(
      { controllers: ['node'], world: { instances, networkInterfaces } },
      nodes,
    );
    await bench.clock.advance(MINUTE);
    const before = bench.calls().length;
    await bench.clock.advance(5 * MINUTE);
    assert.equal(bench.calls().length - before, 10);
  });
});
