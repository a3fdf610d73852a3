import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { annotated, apply, loadBalancers, now, running, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

/** Has port 80 spoken HTTP from now on, to another node port where one is given. */
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

describe('a listener that gives way to one of another protocol', () => {
  it('stays for as long as the group of the other cannot be made', async () => {
    const run = await running();
    await apply(run);
    const missing = { effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' };
    run.cluster.simulator.faults([{ action: 'CreateVServerGroup', ...missing }]);
    const since = now(run);
    speakHttp(run, 31_999);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([listeners(run), standing(run)], [['tcp:80'], ['False', 'Forbidden']]);
    assert.deepEqual(new Set(run.cluster.calls(since)), new Set(['CreateVServerGroup']));
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual([listeners(run), standing(run)[0]], [['http:80'], 'True']);
    await run.process.stop();
  });
});
