import assert from 'node:assert/strict';
import { changeBackendsMeanwhile, createServices, registerNodes } from '../../support/at-scale.ts';

describe('the controller at scale', function () {
  this.timeout(300_000);

  it('makes a thousand Services as fast as the rates of the cloud let it, and B09: takes over without a call', async () => {
    const { efficiency, refused, afterRestart } = await createServices(1_000, 2, 100);
    assert.ok(efficiency >= 0.95, `${efficiency} of what the rates allow`);
    assert.ok(refused <= 0.01, `${refused} of the calls were refused`);
    assert.equal(afterRestart, 0);
  });

  it('changes backends within two seconds while hundreds of Services wait to be made', async () => {
    const waitedMs = await changeBackendsMeanwhile(300);
    assert.ok(waitedMs <= 2_000, `${waitedMs} ms`);
  });

  for (const { nodes, seconds } of [
    { nodes: 1, seconds: 3 },
    { nodes: 50, seconds: 10 },
  ]) {
    it(`lets ${nodes} at a time in, with routes, within ${seconds} s of registering`, async () => {
      const { schedulableMs } = await registerNodes(nodes);
      assert.ok(schedulableMs <= seconds * 1_000, `${schedulableMs} ms`);
    });
  }

  it('makes the routes of a thousand fresh Nodes in little more time than the cloud needs for twenty batches', async () => {
    const { routedMs } = await registerNodes(1_000);
    assert.ok(routedMs <= 1.1 * 20 * 1_000, `${routedMs} ms`);
  });
});
