import assert from 'node:assert/strict';
import { isReached } from '../../../src/clb/served.ts';
import { anObservedGroup, anObservedListener, OWNER } from '../../support/clb.ts';

describe('what a Service has on a load balancer', () => {
  const own = anObservedGroup(30_080);
  const OTHERS = 'rsp-other';
  const rows: Readonly<Record<string, readonly [object, boolean]>> = {
    'is reached by a listener that sends to it': [{ groupId: own.id }, true],
    'is not by one that is stopped': [{ groupId: own.id, status: 'stopped' }, false],
    'is not by one for TCP that sends elsewhere': [{ groupId: OTHERS }, false],
    'may be by the rules of one for HTTP': [{ groupId: OTHERS, protocol: 'http' }, true],
    'may be by the rules of one for HTTPS': [{ groupId: OTHERS, protocol: 'https' }, true],
  };
  for (const [sentence, [over, expected]] of Object.entries(rows))
    it(sentence, () => {
      assert.equal(isReached(OWNER, { groups: [own], listeners: [anObservedListener(80, over)] }), expected);
    });

  it('is reached by nothing where it has nothing', () => {
    assert.equal(isReached(OWNER, { groups: [], listeners: [anObservedListener(80, { protocol: 'http' })] }), false);
  });
});
