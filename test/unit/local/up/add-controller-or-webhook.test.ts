import assert from 'node:assert/strict';
import { requireFreeLease } from '../../../../src/local/up/add-controller-or-webhook.ts';
import { aClient } from '../../../support/strict-api-client.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const signal = new AbortController().signal;

const lease = (holderIdentity: string, renewTime: string): object => ({
  spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
});

/** Waits for a Lease, whose object depends on the elapsed seconds. Returns the seconds of the wait. */
async function waited(leaseAt: (seconds: number) => object | undefined): Promise<number> {
  const clock = new VirtualClock();
  const client = aClient({ find: async () => leaseAt(clock.monotonic() / 1000) });
  let seconds = -1;
  const wait = requireFreeLease(client, { clock, signal }).then(() => (seconds = clock.monotonic() / 1000));
  await Promise.all([wait, clock.advance(30_000)]);
  return seconds;
}

/** `make controller` adds the controller to a running sandbox, where the user may run another controller; two controllers must not lead. */
describe('a part that is added to a sandbox', () => {
  it('is started at once if no controller has led', async () => assert.equal(await waited(() => undefined), 0));

  it('is started at once if the Lease was released', async () => assert.equal(await waited(() => lease('', 'a')), 0));

  it('is started after the Lease of a killed controller has expired', async () =>
    assert.equal(await waited(() => lease('killed', 'a')), 15));

  it('is started when the Lease is released during the wait', async () => {
    const seconds = await waited((now) => lease(now < 4 ? 'stopping' : '', 'a'));
    assert.ok(seconds >= 4 && seconds < 5, `${seconds}`);
  });

  it('is not started if another controller renews the Lease', async () => {
    await assert.rejects(
      waited((now) => lease('own-controller', `${Math.floor(now / 2)}`)),
      {
        reason: 'InvalidConfiguration',
        message:
          'another controller holds the Lease kube-system/ccm: own-controller. Stop that controller, and try again',
      },
    );
  });
});
