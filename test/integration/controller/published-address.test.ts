import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES } from '../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  ingress,
  loadBalancers,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

/** Rejects all calls of an action. */
const rejectAll = (run: Running, action: string): void => {
  run.cluster.simulator.faults([{ action, effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' }]);
};

/** The published address must be one that serves the Service, because clients use it at once. */
describe('the published address of a Service', () => {
  const changes = {
    'another host name': [{ hostname: 'a.example' }, { hostname: 'b.example' }, [{ hostname: 'b.example' }]],
    'the address of the load balancer after the host name is removed': [
      { hostname: 'a.example' },
      { hostname: null },
      [{ ip: 'own' }],
    ],
    'an elastic address': [{}, { 'external-ip-type': 'eip' }, [{ ip: '8.0.0.7' }]],
    'the address of the load balancer after the EIP is no longer requested': [
      { 'external-ip-type': 'eip' },
      { 'external-ip-type': null },
      [{ ip: 'own' }],
    ],
  } as const;
  for (const [what, [first, then, published]] of Object.entries(changes))
    it(`changes to ${what} while another change fails`, async () => {
      const run = await running();
      await apply(run);
      const [own] = loadBalancers(run);
      run.cluster.simulator.seed({
        eips: [{ address: '8.0.0.7', instanceId: own?.id ?? '', instanceType: 'SlbInstance' }],
      });
      await patch(run, { metadata: { annotations: annotated<string>(first) } });
      rejectAll(run, 'SetLoadBalancerName');
      await patch(run, { metadata: { annotations: annotated({ name: 'front' }) } });
      await patch(run, { metadata: { annotations: annotated<string | null>(then) } });
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(
        ingress(run),
        published.map((each) => ('ip' in each && each.ip === 'own' ? { ip: own?.address } : each)),
      );
      assert.deepEqual(statusAndReason(run), ['False', 'Forbidden']);
      await run.process.stop();
    });

  it('stays the address of the bound load balancer if id names another, while a call fails', async () => {
    const left = { id: 'rsp-left', name: 'k8s/80/web/shop/c1', backends: [] };
    const run = await running(
      {},
      {
        loadBalancers: [
          { id: 'lb-a', name: 'a', address: '47.1.1.1' },
          { id: 'lb-b', name: 'b', address: '47.1.1.2', serverGroups: [left] },
        ],
      },
    );
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n1']));
    await apply(run, { annotations: annotated({ id: 'lb-a' }) });
    rejectAll(run, 'DescribeNetworkInterfaces');
    const annotations = { ...annotated({ id: 'lb-b' }), 'service.beta.kubernetes.io/backend-type': 'eni' };
    await patch(run, { metadata: { annotations } });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([ingress(run), statusAndReason(run)], [[{ ip: '47.1.1.1' }], ['False', 'Forbidden']]);
    await run.process.stop();
  });
});
