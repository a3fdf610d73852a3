import assert from 'node:assert/strict';
import { ConnectionCut } from '../../../src/local/simulator/error.ts';
import { aNetwork, aSimulator, callerOf, parsed, type SimulatorSetup } from '../../support/simulator.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const CREATE = { InstanceChargeType: 'PayByCLCU' };
const WORLD = { ...aNetwork(), loadBalancers: [{ id: 'lb-1', serverGroups: [{ id: 'rsp-1', name: 'one' }] }] };

function bench(setup: SimulatorSetup = {}) {
  const clock = new VirtualClock();
  const simulator = aSimulator({ clock, world: WORLD, ...setup });
  const caller = callerOf(simulator);
  /** Calls with a timeout of one second. Returns the result. */
  const patiently = async (action: string, parameters = {}): Promise<string> => {
    const call = caller.send(action, parameters, 'Slb', giveUp(clock, 1_000)).then(
      ({ status }) => String(status),
      (error: unknown) => (error instanceof ConnectionCut ? 'cut' : 'timed out'),
    );
    return clock.complete(call);
  };
  const count = (): number => simulator.world.loadBalancers.size - 1;
  const outcome = (): unknown => {
    const last = simulator.journal().at(-1);
    return [last?.fault, last?.outcome];
  };
  return { ...caller, simulator, clock, patiently, count, outcome };
}

function giveUp(clock: VirtualClock, ms: number): AbortSignal {
  const controller = new AbortController();
  clock.sleep(ms).then(
    () => controller.abort(new Error('timed out')),
    () => undefined,
  );
  return controller.signal;
}

/** Tests of failures rely on these effects, so each fault must act at the right call. */
describe('faults of the simulator', () => {
  const effects: Record<string, [fault: object, seen: string, made: number, outcome: string]> = {
    'rejects with the code and its status, without an effect': [
      { effect: 'reject', code: 'InternalError' },
      '500',
      0,
      'InternalError',
    ],
    'rejects with another status if configured': [{ effect: 'reject', code: 'X', status: 418 }, '418', 0, 'X'],
    'rejects with Throttling.User': [{ effect: 'throttle' }, '400', 0, 'Throttling.User'],
    'rejects with OperationBusy': [{ effect: 'busy' }, '400', 0, 'OperationBusy'],
    'is silent without an effect': [{ effect: 'timeout-before-commit' }, 'timed out', 0, 'lost'],
    'is silent after the effect': [{ effect: 'timeout-after-commit' }, 'timed out', 1, 'OK'],
    'closes the connection without an effect': [{ effect: 'cut-before-commit' }, 'cut', 0, 'lost'],
    'closes the connection after the effect': [{ effect: 'cut-after-commit' }, 'cut', 1, 'OK'],
    'truncates the response after the effect': [{ effect: 'cut-reply' }, 'cut', 1, 'OK'],
    'returns an unreadable response after the effect': [{ effect: 'malformed-body' }, '200', 1, 'OK'],
    'is slow, with the effect': [{ effect: 'slow', ms: 900 }, '200', 1, 'OK'],
  };
  for (const [what, [fault, seen, made, outcome]] of Object.entries(effects)) {
    it(`${(fault as { effect: string }).effect}: ${what}`, async () => {
      const { simulator, patiently, count, outcome: last } = bench();
      simulator.faults([{ action: 'CreateLoadBalancer', ...fault }]);
      assert.equal(await patiently('CreateLoadBalancer', CREATE), seen);
      assert.equal(count(), made);
      assert.deepEqual(last(), [(fault as { effect: string }).effect, outcome]);
      assert.equal(await patiently('CreateLoadBalancer', CREATE), '200');
    });
  }

  it('late-commit: takes effect after the caller gave up', async () => {
    const { simulator, patiently, count, clock } = bench();
    simulator.faults([{ effect: 'late-commit', ms: 10_000 }]);
    assert.equal(await patiently('CreateLoadBalancer', CREATE), 'timed out');
    await clock.advance(8_999);
    simulator.state();
    assert.equal(count(), 0);
    await clock.advance(1);
    simulator.state();
    assert.equal(count(), 1);
  });

  it('slow: takes effect even if the caller gives up in the meantime', async () => {
    const { simulator, patiently, count, clock } = bench();
    simulator.faults([{ effect: 'slow', ms: 5_000 }]);
    assert.equal(await patiently('CreateLoadBalancer', CREATE), 'timed out');
    assert.equal(count(), 0);
    await clock.advance(4_000);
    simulator.state();
    assert.equal(count(), 1);
  });

  it('busy: locks the object for the configured time, against changes and not against reads', async () => {
    const { simulator, rejected, ok, clock } = bench();
    const rename = { LoadBalancerId: 'lb-1', LoadBalancerName: 'x' };
    const add = { VServerGroupId: 'rsp-1', BackendServers: '[]' };
    simulator.faults([{ action: 'AddVServerGroupBackendServers', effect: 'busy', ms: 10_000 }]);
    assert.equal(await rejected('AddVServerGroupBackendServers', add), '409 BackendServer.configuring');
    assert.equal(await rejected('SetLoadBalancerName', rename), 'OperationBusy');
    await ok('DescribeLoadBalancerAttribute', { LoadBalancerId: 'lb-1' });
    await clock.advance(10_000);
    await ok('SetLoadBalancerName', rename);
    await ok('AddVServerGroupBackendServers', add);
  });

  it('stale-list: returns an earlier state, for a single call', async () => {
    const { simulator, ok } = bench();
    await ok('CreateLoadBalancer', CREATE);
    simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'stale-list' }]);
    assert.equal((await ok('DescribeLoadBalancers'))['TotalCount'], 1);
    assert.equal((await ok('DescribeLoadBalancers'))['TotalCount'], 2);
  });

  it('apply to the configured number of calls, from the n-th matching call on', async () => {
    const { simulator, send } = bench();
    simulator.faults([
      { action: 'DescribeLoadBalancers', nth: 2, count: 2, effect: 'reject', code: 'ServiceUnavailable' },
    ]);
    const statuses: number[] = [];
    for (let call = 0; call < 5; call += 1) statuses.push((await send('DescribeLoadBalancers')).status);
    assert.deepEqual(statuses, [200, 503, 503, 200, 200]);
  });

  it('without an action match every call, and with a kind match only reads or only writes', async () => {
    const { simulator, patiently } = bench();
    simulator.faults([
      { nth: 3, effect: 'reject', code: 'InternalError' },
      { kind: 'write', nth: 2, effect: 'reject', code: 'ServiceUnavailable' },
    ]);
    const seen: string[] = [];
    for (const action of [
      'DescribeLoadBalancers',
      'CreateLoadBalancer',
      'DescribeLoadBalancers',
      'CreateLoadBalancer',
    ]) {
      seen.push(await patiently(action, CREATE));
    }
    assert.deepEqual(seen, ['200', '200', '500', '503']);
  });

  it('with an infinite count last until they are cleared', async () => {
    const { simulator, patiently } = bench();
    simulator.faults([{ effect: 'reject', code: 'Forbidden.RAM', count: 'forever' }]);
    for (let call = 0; call < 3; call += 1) assert.equal(await patiently('DescribeLoadBalancers'), '403');
    simulator.clearFaults();
    assert.equal(await patiently('DescribeLoadBalancers'), '200');
  });

  it('match a parameter and a user agent by their filter', async () => {
    const { simulator, ok, rejected } = bench();
    simulator.faults([
      { filter: { loadbalancerid: 'lb-1' }, effect: 'reject', code: 'A' },
      { filter: { UserAgent: 'elsewhere' }, effect: 'reject', code: 'B' },
    ]);
    await ok('DescribeLoadBalancers', { LoadBalancerId: 'lb-2' });
    assert.equal(await rejected('DescribeLoadBalancers', { LoadBalancerId: 'lb-1' }), 'A');
  });

  it('with the code Forbidden.RAM name the denied action in the response', async () => {
    const { simulator, send } = bench();
    simulator.faults([{ effect: 'reject', code: 'Forbidden.RAM' }]);
    const { AccessDeniedDetail } = parsed(await send('DescribeLoadBalancers'));
    assert.equal((AccessDeniedDetail as { AuthAction: string }).AuthAction, 'slb:DescribeLoadBalancers');
  });

  it('leave a client token pending until the slow first call ends', async () => {
    const { simulator, send, rejected, ok, clock } = bench();
    simulator.faults([{ effect: 'slow', ms: 5_000 }]);
    const call = { ...CREATE, ClientToken: 't' };
    const first = send('CreateLoadBalancer', call);
    await clock.settle();
    assert.equal(await rejected('CreateLoadBalancer', call), 'OperationFailed.TokenIsProcessing');
    await clock.advance(5_000);
    const id = parsed(await first)['LoadBalancerId'];
    assert.equal((await ok('CreateLoadBalancer', call))['LoadBalancerId'], id);
  });

  it('create a single load balancer for a token with a lost first response', async () => {
    const { simulator, patiently, ok, count } = bench();
    simulator.faults([{ effect: 'cut-after-commit' }]);
    await patiently('CreateLoadBalancer', { ...CREATE, ClientToken: 't' });
    await ok('CreateLoadBalancer', { ...CREATE, ClientToken: 't' });
    assert.equal(count(), 1);
  });

  const mistakes: Record<string, [fault: unknown, message: RegExp]> = {
    'an unknown effect': [[{ effect: 'explode' }], /^faults\[0\]\.effect: expected one of reject/],
    'an unknown field': [[{ effect: 'throttle', when: 1 }], /^faults\[0\]: .*when/],
    'an operation that does not exist': [[{ effect: 'throttle', action: 'Make' }], /^faults\[0\]\.action: .*"Make"/],
    'a rejection without a code': [[{ effect: 'reject' }], /^faults\[0\]\.code: /],
    'a count of 0': [[{ effect: 'throttle', count: 0 }], /^faults\[0\]\.count: /],
    'a missing list': [{ effect: 'throttle' }, /^faults: expected a list/],
  };
  for (const [what, [fault, message]] of Object.entries(mistakes)) {
    it(`reject ${what} with the field in the message, and add nothing`, async () => {
      const { simulator, ok } = bench();
      assert.throws(() => simulator.faults(fault), { name: 'AdminError', message });
      await ok('DescribeLoadBalancers');
    });
  }
});

describe('overlapping calls in the simulator', () => {
  it('reject a second change of the same load balancer, and allow another load balancer', async () => {
    const { send, clock } = bench({
      world: { ...WORLD, loadBalancers: [...WORLD.loadBalancers, { id: 'lb-2' }] },
      settings: { writeLatencyMs: 100 },
    });
    const codes = Promise.all(
      ['lb-1', 'lb-1', 'lb-2'].map(async (LoadBalancerId) => {
        const reply = await send('SetLoadBalancerName', { LoadBalancerId, LoadBalancerName: 'x' });
        return parsed(reply)['Code'] ?? 'OK';
      }),
    );
    assert.deepEqual(await clock.complete(codes), ['OK', 'OperationBusy', 'OK']);
  });

  const ofTwoGroups: Readonly<Record<'accept' | 'reject', readonly string[]>> = {
    reject: ['OK', 'BackendServer.configuring'],
    accept: ['OK', 'OK'],
  };
  for (const [setting, expected] of Object.entries(ofTwoGroups)) {
    it(`${setting}s a second concurrent server group with parallelGroupCreation=${setting}`, async () => {
      const { send, clock, simulator } = bench({ settings: { writeLatencyMs: 100 } });
      simulator.changeSettings({ parallelGroupCreation: setting });
      const codes = Promise.all(
        ['a', 'b'].map(async (VServerGroupName) => {
          const reply = await send('CreateVServerGroup', { LoadBalancerId: 'lb-1', VServerGroupName });
          return parsed(reply)['Code'] ?? 'OK';
        }),
      );
      assert.deepEqual(await clock.complete(codes), expected);
    });
  }

  it('record start, end and subject of each in the journal', async () => {
    const { send, clock, simulator } = bench({ settings: { writeLatencyMs: 100 } });
    await clock.complete(send('SetVServerGroupAttribute', { VServerGroupId: 'rsp-1', VServerGroupName: 'x' }));
    const [entry] = simulator.journal();
    assert.equal(entry?.subject, 'lb-1');
    assert.equal(Date.parse(entry.finished ?? '') - Date.parse(entry.time), 100);
  });
});
