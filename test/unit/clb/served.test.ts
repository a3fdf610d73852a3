import assert from 'node:assert/strict';
import { isReached, isSilent, isWhollyServed } from '../../../src/clb/served.ts';
import type { Present } from '../../../src/clb/state.ts';
import {
  aBackend,
  aLoadBalancer,
  anObserved,
  anObservedGroup,
  anObservedListener,
  aPresent,
  OWNER,
} from '../../support/clb.ts';

const own = anObservedGroup(30_080);

describe('what a Service has on a load balancer', () => {
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

describe('a listener with a group of a Service', () => {
  /** Whether what it serves counts as served, and whether it counts as serving nothing. */
  type Counts = readonly [isServed: boolean, isSilent: boolean];
  const IN_BETWEEN: Counts = [false, false];
  const rows: Readonly<Record<string, readonly [status: string, loadBalancer: string, Counts]>> = {
    'passes traffic where it is running': ['running', 'active', [true, false]],
    'passes none where it is stopped, as it is made': ['stopped', 'active', [false, true]],
    'is neither relied on nor given up while it starts': ['starting', 'active', IN_BETWEEN],
    'is neither relied on nor given up while it is configured': ['configuring', 'active', IN_BETWEEN],
    'is neither relied on nor given up while it stops': ['stopping', 'active', IN_BETWEEN],
    'is neither relied on nor given up where the load balancer is inactive': ['running', 'inactive', IN_BETWEEN],
    'is neither relied on nor given up where the load balancer is locked': ['running', 'locked', IN_BETWEEN],
  };
  const uses: Readonly<Record<string, Partial<Present>>> = {
    'that made it': {},
    'that has people make it': { use: { kind: 'reused', id: aLoadBalancer().id, overrideListeners: false } },
  };
  for (const [whose, use] of Object.entries(uses))
    for (const [sentence, [status, ofLoadBalancer, expected]] of Object.entries(rows))
      it(`${whose} ${sentence}`, () => {
        const observed = anObserved({
          loadBalancer: aLoadBalancer({ status: ofLoadBalancer as 'active' }),
          listeners: [anObservedListener(80, { status, groupId: own.id })],
        });
        const desired = { ...aPresent(use), groups: [{ name: own.name, backends: [aBackend('i-1', 30_080)] }] };
        assert.deepEqual([isWhollyServed(desired, observed), isSilent(observed)], expected);
        assert.equal(isReached(OWNER, observed), !isSilent(observed));
      });
});
