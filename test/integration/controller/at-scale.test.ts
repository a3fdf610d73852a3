import assert from 'node:assert/strict';
import { changeBackendsMeanwhile, createServices, registerNodes } from '../../support/many-services.ts';

/** Runs in virtual time. The cloud limits calls, so wasted calls would delay creations and backend changes in large clusters. */
describe('the controller at scale', function () {
  this.timeout(300_000);

  it('creates 1000 Services at the rate limits, and makes no call as a new leader', async () => {
    const { efficiency, rejected, afterRestart } = await createServices(1_000, 2, 100);
    assert.ok(efficiency >= 0.95, `${efficiency} of what the rates allow`);
    assert.ok(rejected <= 0.01, `${rejected} of the calls were rejected`);
    assert.equal(afterRestart, 0);
  });

  it('changes backends within two seconds while hundreds of Services wait for creation', async () => {
    const waitedMs = await changeBackendsMeanwhile(300);
    assert.ok(waitedMs <= 2_000, `${waitedMs} ms`);
  });

  for (const { nodes, seconds } of [
    { nodes: 1, seconds: 3 },
    { nodes: 50, seconds: 10 },
  ]) {
    it(`initializes new Nodes with routes within ${seconds} s if ${nodes} join at once`, async () => {
      const { schedulableMs } = await registerNodes(nodes);
      assert.ok(schedulableMs <= seconds * 1_000, `${schedulableMs} ms`);
    });
  }

  it('creates the routes of 1000 new Nodes in little more than the time of 20 batches', async () => {
    const { routedMs } = await registerNodes(1_000);
    assert.ok(routedMs <= 1.1 * 20 * 1_000, `${routedMs} ms`);
  });
});
