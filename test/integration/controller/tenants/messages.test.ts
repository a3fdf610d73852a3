import assert from 'node:assert/strict';
import { deleteByHand } from '../../../support/user-changes.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  events,
  loadBalancers,
  messageOf,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const VAULT = { name: 'vault', namespace: 'bank', uid: '6e4dbfc9-c2ae-4642-b033-5607860aef6b' };
const SEED = {
  loadBalancers: [{ id: 'lb-a', name: 'a', address: '47.1.1.1', listeners: [{ port: 80, protocol: 'tcp' as const }] }],
};
/** Attributes that no load balancer of this test has. */
const UNLIKE = {
  'force-override-listeners': 'true',
  'address-type': 'intranet',
  ip: '10.9.9.9',
  'resource-group-id': 'rg-1',
};
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const WITH_INVENTORY = { controllers: ['service', 'inventory'] as const };

/** Returns the condition and the events of the Service. */
const messages = (run: Running): readonly string[] => [messageOf(run), ...events(run, 'SyncLoadBalancerFailed')];

function assertSilent(run: Running, secrets: readonly string[]): void {
  assert.ok(messages(run).length > 1);
  for (const text of messages(run)) assert.ok(!secrets.some((each) => text.includes(each)), text);
}

/** Syncs a Service of namespace bank, and one of namespace shop if `isServed`. Returns the load balancer of the first. */
async function serve(run: Running, isServed: boolean) {
  const { kubernetes } = run.cluster;
  kubernetes.put(SERVICES, aService({ ...VAULT, ports: [443], annotations: annotated({ spec: 'slb.s3.large' }) }));
  await run.cluster.quiet(5_000);
  const vault = loadBalancers(run).find(({ id }) => id !== 'lb-a');
  assert.ok(vault !== undefined);
  if (isServed) kubernetes.put(SERVICES, aService({ ports: [443] }));
  await run.cluster.quiet(5_000);
  return vault;
}

/** Events and conditions must not show a tenant the addresses or ports of another tenant. */
describe('a Service that names the owned load balancer of another namespace', () => {
  const NEW = { reason: 'NotOwned', pattern: '^load balancer ID was created for another Service, [^;]*; name a[^;]*$' };
  const SERVED = {
    reason: 'LoadBalancerChangeNotSupported',
    pattern: '^the annotation id names load balancer ID, but the owned load balancer ',
  };
  const rows = {
    'if the Service is new': { isServed: false, options: {}, ...NEW },
    'if the Service has a load balancer': { isServed: true, options: {}, ...SERVED },
    'if the inventory lacks that load balancer': { isServed: true, options: WITH_INVENTORY, ...SERVED },
  };
  for (const [when, { isServed, options, reason, pattern }] of Object.entries(rows))
    it(`gets no message with an address, port or attribute of that load balancer ${when}`, async () => {
      const run = await running(options, SEED);
      const { id, address } = await serve(run, isServed);
      const annotations = annotated({ ...UNLIKE, id });
      if (isServed) await patch(run, { metadata: { annotations } });
      else {
        run.cluster.kubernetes.put(SERVICES, aService({ ports: [443], annotations }));
        await run.cluster.quiet();
      }
      assert.deepEqual(statusAndReason(run), ['False', reason]);
      assert.match(messageOf(run), new RegExp(pattern.replace('ID', id)));
      assertSilent(run, [address, '443', 'slb.s3']);
      await run.process.stop();
    });

  it('gets no message with the id of that load balancer if only a label contains the id', async () => {
    const run = await running({}, SEED);
    const { id } = await serve(run, true);
    const owned = loadBalancers(run).find((each) => ![id, 'lb-a'].includes(each.id))?.id ?? '';
    await run.process.stop();
    await deleteByHand(run, owned);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { labels: { [ID_LABEL]: id } } });
    const process = run.cluster.start();
    await run.cluster.quiet(3 * 3_600_000);
    assert.deepEqual(statusAndReason(run), ['False', 'LoadBalancerNotFound']);
    assert.match(messageOf(run), /^no load balancer with address \S+ serves this Service: /);
    assertSilent(run, [id]);
    await process.stop();
  });
});
