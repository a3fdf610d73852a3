import assert from 'node:assert/strict';
import { createDeletedListeners } from '../../../src/inventory/deleted-listeners.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const HTTP = { port: 80, protocol: 'http' } as const;
const HTTPS = { port: 443, protocol: 'https' } as const;
const MINUTE = 60_000;

describe('deleted listeners', () => {
  it('are hidden on their load balancer for a minute, and on no other load balancer', async () => {
    const clock = new VirtualClock();
    const listeners = createDeletedListeners(clock);
    listeners.deleted('lb-1', HTTP);
    assert.deepEqual(listeners.without('lb-1', [HTTP, HTTPS]), [HTTPS]);
    assert.deepEqual(listeners.without('lb-2', [HTTP]), [HTTP]);
    await clock.advance(MINUTE - 1);
    assert.deepEqual(listeners.without('lb-1', [HTTP]), []);
    await clock.advance(1);
    assert.deepEqual(listeners.without('lb-1', [HTTP]), [HTTP]);
  });

  it('are identified by their protocol too', () => {
    const listeners = createDeletedListeners(new VirtualClock());
    listeners.deleted('lb-1', { port: 53, protocol: 'udp' });
    assert.deepEqual(listeners.without('lb-1', [{ port: 53, protocol: 'tcp' }]), [{ port: 53, protocol: 'tcp' }]);
  });

  it('are visible once they are created again', () => {
    const listeners = createDeletedListeners(new VirtualClock());
    listeners.deleted('lb-1', HTTP);
    listeners.created('lb-1', HTTP);
    assert.deepEqual(listeners.without('lb-1', [HTTP]), [HTTP]);
  });

  it('are hidden from their last deletion on', async () => {
    const clock = new VirtualClock();
    const listeners = createDeletedListeners(clock);
    listeners.deleted('lb-1', HTTP);
    await clock.advance(MINUTE / 2);
    listeners.deleted('lb-1', HTTPS);
    listeners.deleted('lb-1', HTTP);
    await clock.advance(MINUTE / 2);
    listeners.deleted('lb-2', HTTP);
    assert.deepEqual(listeners.without('lb-1', [HTTP, HTTPS]), []);
  });
});
