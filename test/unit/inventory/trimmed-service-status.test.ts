import assert from 'node:assert/strict';
import { messageKey } from '../../../src/inventory/condition-message-key.ts';
import { trimServiceStatus } from '../../../src/inventory/trimmed-service-status.ts';

const CONDITION = {
  ...{ type: 'LoadBalancerReady', status: 'False', reason: 'Invalid' },
  ...{ lastTransitionTime: '2026-01-02T03:04:05Z', message: 'm' },
};
const ID = '0123ABCD-0123-4567-89AB-0123456789AB';

/** Caches keep only the part of the status that rules and the controller read. */
describe('the status in caches', () => {
  it('has addresses without ports, and only the condition of Portcullis', () => {
    const ingress = [
      { ip: '192.0.2.1', ipMode: 'VIP', ports: [{ port: 1, protocol: 'TCP' }] },
      { hostname: 'a.example' },
    ];
    const conditions = [CONDITION, { ...CONDITION, type: 'Other' }];
    assert.deepEqual(trimServiceStatus({ loadBalancer: { ingress }, conditions }), {
      loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'a.example' }] },
      conditions: [CONDITION],
    });
    assert.deepEqual(trimServiceStatus({ loadBalancer: {} }), {});
  });

  it('has nine of thousands of addresses: the limit of eight, and one that shows the excess', () => {
    const ingress = Array.from({ length: 5_000 }, (_, at) => ({ hostname: `${at}.example` }));
    assert.equal(trimServiceStatus({ loadBalancer: { ingress } }).loadBalancer?.ingress?.length, 9);
  });

  for (const [title, message] of Object.entries({
    'a short message': `not found (${ID})`,
    'a long message': `x${'y'.repeat(30_000)} (${ID})`,
    'a message that only the request id makes too long': `${'y'.repeat(505)} (${ID})`,
  })) {
    it(`keeps enough of ${title} to distinguish the message`, () => {
      const [kept] = trimServiceStatus({ conditions: [{ ...CONDITION, message }] }).conditions ?? [];
      assert.ok((kept?.message.length ?? Infinity) <= 512);
      assert.equal(messageKey(kept?.message ?? ''), messageKey(message));
      assert.equal(messageKey(message.replace(ID, ID.toLowerCase())), messageKey(message));
      assert.notEqual(messageKey(`z${message}`), messageKey(message));
      assert.equal(kept?.message.slice(0, 10), message.slice(0, 10));
    });
  }
});
