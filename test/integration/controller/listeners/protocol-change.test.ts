import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  ingress,
  loadBalancers,
  callCount,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

/** Changes port 80 to HTTP, and to another node port if given. */
function speakHttp({ cluster }: Running, nodePort?: number): void {
  const ports = cluster
    .service()
    ?.spec?.ports?.map((port) => ({ ...port, ...(nodePort === undefined ? {} : { nodePort }) }));
  cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
    metadata: { annotations: annotated({ 'protocol-port': 'http:80' }) },
    spec: { ports },
  });
}
const listeners = (run: Running): readonly string[] =>
  loadBalancers(run).flatMap((each) => each.listeners.map(({ port, protocol }) => `${protocol}:${port}`));

const HTTP = annotated({ 'protocol-port': 'http:80' });
const OTHER_UID = '90000000-0000-4000-8000-000000000000';
const STEP_MS = 200;

/** Returns how many milliseconds of the next three minutes no listener serves the port. */
async function unservedMs(run: Running): Promise<number> {
  const address = ingress(run)?.[0]?.ip;
  let unserved = 0;
  for (let passed = 0; passed < 3 * 60_000; passed += STEP_MS) {
    await run.cluster.quiet(STEP_MS);
    const own = loadBalancers(run).find((each) => each.address === address);
    if (own?.listeners.some(({ status }) => status === 'running') !== true) unserved += STEP_MS;
  }
  return unserved;
}

/** A listener must be deleted before its replacement is created. The gap without a listener must be as short as possible. */
describe('a listener whose protocol changes', () => {
  it('stays while the server group of the new listener cannot be created', async () => {
    const run = await running();
    await apply(run);
    const missing = { effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' };
    run.cluster.simulator.faults([{ action: 'CreateVServerGroup', ...missing }]);
    const since = callCount(run);
    speakHttp(run, 31_999);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([listeners(run), statusAndReason(run)], [['tcp:80'], ['False', 'Forbidden']]);
    assert.deepEqual(new Set(run.cluster.calls(since)), new Set(['CreateVServerGroup']));
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual([listeners(run), statusAndReason(run)[0]], [['http:80'], 'True']);
    await run.process.stop();
  });

  for (const action of ['CreateLoadBalancerHTTPListener', 'StartLoadBalancerListener'])
    it(`is deleted only when ${action} is no longer throttled`, async () => {
      const run = await running();
      await apply(run);
      run.cluster.simulator.faults([{ action, effect: 'throttle', count: 1 }]);
      run.cluster.kubernetes.put(SERVICES, aService({ name: 'busy', uid: OTHER_UID, annotations: HTTP }));
      await run.cluster.quiet(1_000);
      speakHttp(run);
      assert.ok((await unservedMs(run)) < 1_000);
      assert.deepEqual(statusAndReason(run)[0], 'True');
      await run.process.stop();
    });

  for (const action of ['CreateLoadBalancerHTTPListener', 'StartLoadBalancerListener'])
    it(`is replaced within seconds if ${action} fails some times`, async () => {
      const run = await running();
      await apply(run);
      const unwell = { effect: 'reject', code: 'ServiceUnavailable', status: 503, count: 3 };
      run.cluster.simulator.faults([{ action, ...unwell }]);
      speakHttp(run);
      assert.ok((await unservedMs(run)) < 10_000);
      await run.process.stop();
    });
});
