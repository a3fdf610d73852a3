import assert from 'node:assert/strict';
import { NoAnswer, CloudRejection, type CloudTransport } from '../../../src/alibaba/cloud-call-types.ts';
import { withRepeatedReads } from '../../../src/alibaba/executor.ts';
import { aCall, executorBench, scriptedCloud, slb } from '../../support/scripted-cloud.ts';

const WRITE = slb('SetLoadBalancerName');
const READ = slb('DescribeLoadBalancers');
const never = () => new Promise<object>(() => undefined);
const throttling = new CloudRejection('Request was denied due to user flow control.', {
  code: 'Throttling.User',
  status: 400,
  requestId: 'R-9',
});

/** Covers the single path of all cloud calls: timeouts, permission to write, throttling, and secrets in logs. */
describe('the executor of cloud calls', () => {
  it('sends a call a single time and returns the body', async () => {
    const { transport, sent } = scriptedCloud({ RequestId: 'R', LoadBalancerName: 'n' });
    const { executor } = executorBench(transport);
    assert.deepEqual(await executor.call(WRITE, { RegionId: 'r' }, aCall()), { RequestId: 'R', LoadBalancerName: 'n' });
    assert.deepEqual(sent, [{ action: 'SetLoadBalancerName', parameters: { RegionId: 'r' } }]);
  });

  for (const [what, operation, seconds, reason] of [
    ['a write after 8 s with an unknown outcome', WRITE, 8, 'OutcomeUnknown'],
    ['a read after 15 s', READ, 15, 'Unavailable'],
  ] as const) {
    it(`aborts ${what}`, async () => {
      const { executor, clock } = executorBench(scriptedCloud(never).transport);
      let over = false;
      const call = assert.rejects(executor.call(operation, {}, aCall()), {
        reason,
        message: new RegExp(`no answer within ${seconds} s`),
      });
      const watched = call.then(() => (over = true));
      await clock.advance(seconds * 1000 - 1);
      assert.equal(over, false);
      await clock.advance(1);
      await watched;
    });
  }

  it('cancels the request when it gives up, and leaves no timer behind', async () => {
    let aborted: AbortSignal | undefined;
    const transport: CloudTransport = (_operation, _parameters, signal) => {
      aborted = signal;
      return never();
    };
    const { executor, clock } = executorBench(transport);
    const call = assert.rejects(executor.call(READ, {}, aCall()));
    await clock.advance(15_000);
    await call;
    assert.equal(aborted?.aborted, true);
    assert.equal(clock.sleeping, 0);
  });

  it('rejects an aborted call with the reason of the signal', async () => {
    const stop = new AbortController();
    const { executor, clock } = executorBench(scriptedCloud(never).transport);
    const call = assert.rejects(executor.call(WRITE, {}, aCall('change', stop.signal)), { message: 'shutting down' });
    await clock.advance(10);
    stop.abort(new Error('shutting down'));
    await call;
  });

  it('does not retry after any error', async () => {
    for (const trouble of [
      throttling,
      new NoAnswer('lost', true),
      new CloudRejection('busy', { code: 'SystemBusy', status: 449 }),
    ]) {
      const { transport, sent } = scriptedCloud(trouble);
      await assert.rejects(executorBench(transport).executor.call(WRITE, {}, aCall()));
      assert.equal(sent.length, 1);
    }
  });

  describe('in a process without permission to write', () => {
    it('sends no write, and returns an error', async () => {
      const { transport, sent } = scriptedCloud();
      const { executor } = executorBench(transport, { guard: () => false });
      await assert.rejects(executor.call(WRITE, {}, aCall()), { reason: 'LostLeadership', message: /not sent/ });
      assert.deepEqual(sent, []);
    });

    it('still reads', async () => {
      const { transport, sent } = scriptedCloud();
      await executorBench(transport, { guard: () => false }).executor.call(READ, {}, aCall());
      assert.equal(sent.length, 1);
    });

    it('sends no write in a dry run, whatever its guard returns, and still reads', async () => {
      const { transport, sent } = scriptedCloud();
      const { executor } = executorBench(transport, { isReadOnly: true });
      await assert.rejects(executor.call(WRITE, {}, aCall()), { reason: 'Bug', message: /not sent/ });
      await executor.call(READ, {}, aCall());
      assert.equal(sent.length, 1);
    });

    it('sends no write after the wait for a connection if the permission ended', async () => {
      const sent: string[] = [];
      let leads = true;
      const transport: CloudTransport = async ({ action }, _parameters, _signal, beforeSend) => {
        leads = false;
        beforeSend();
        sent.push(action);
        return {};
      };
      const { executor } = executorBench(transport, { guard: () => leads });
      await assert.rejects(executor.call(WRITE, {}, aCall()), { reason: 'LostLeadership', message: /not sent/ });
      await executor.call(READ, {}, aCall());
      assert.deepEqual(sent, ['DescribeLoadBalancers']);
    });

    it('checks the permission after all waits, just before it sends', async () => {
      const durations: [number, number][] = [];
      const { transport } = scriptedCloud(throttling, { RequestId: 'R' });
      const bench = executorBench(transport, { guard: (ms) => durations.push([ms, bench.clock.monotonic()]) > 0 });
      await assert.rejects(bench.executor.call(WRITE, {}, aCall()));
      const second = bench.executor.call(WRITE, {}, aCall());
      await bench.clock.advance(60_000);
      await second;
      assert.deepEqual(durations, [
        [8_000, 0],
        [8_000, 60_000],
      ]);
    });
  });

  it('repeats a throttled read on request, and no throttled write', async () => {
    const { transport, sent } = scriptedCloud(throttling, { RequestId: 'R' }, throttling);
    const { executor, clock } = executorBench(transport);
    const repeating = withRepeatedReads(executor);
    const read = repeating.call(READ, {}, aCall());
    await clock.advance(60_000);
    assert.deepEqual(await read, { RequestId: 'R' });
    await assert.rejects(repeating.call(WRITE, {}, aCall()), { reason: 'Throttled' });
    assert.equal(sent.length, 3);
  });

  it('rejects a read that is throttled four times', async () => {
    const { transport, sent } = scriptedCloud(throttling, throttling, throttling, throttling, { RequestId: 'R' });
    const { executor, clock } = executorBench(transport);
    const rejected = assert.rejects(withRepeatedReads(executor).call(READ, {}, aCall()), { reason: 'Throttled' });
    await clock.advance(10 * 60_000);
    await rejected;
    assert.equal(sent.length, 4);
  });

  it('repeats no read of an API that stays closed for more than a minute', async () => {
    const long = new CloudRejection('flow control', { code: 'Throttling.User', status: 400, retryAfterMs: 300_000 });
    const { transport, sent } = scriptedCloud(long, { RequestId: 'R' });
    const { executor } = executorBench(transport);
    await assert.rejects(withRepeatedReads(executor).call(READ, {}, aCall()), { reason: 'Throttled' });
    assert.equal(sent.length, 1);
  });

  describe('after a throttled call', () => {
    it('reports how long the API stays closed', async () => {
      const { executor } = executorBench(scriptedCloud(throttling).transport);
      await assert.rejects(executor.call(WRITE, {}, aCall()), {
        reason: 'Throttled',
        retryAfterMs: 60_000,
        code: 'Throttling.User',
        requestId: 'R-9',
      });
    });

    it('sends no call while the API is closed, not even a call that the limiter has admitted', async () => {
      const { transport, sent } = scriptedCloud(throttling, { RequestId: 'R' });
      const { executor, clock } = executorBench(transport);
      const first = assert.rejects(executor.call(WRITE, {}, aCall(), 'lb-1'), { reason: 'Throttled' });
      const second = assert.rejects(executor.call(WRITE, {}, aCall(), 'lb-1'), {
        reason: 'Throttled',
        message: /not sent/,
        retryAfterMs: 60_000,
      });
      const third = first.then(() => executor.call(WRITE, {}, aCall(), 'lb-1'));
      await clock.advance(59_999);
      await Promise.all([first, second]);
      assert.equal(sent.length, 1);
      await clock.advance(1);
      await third;
      assert.equal(sent.length, 2);
    });
  });

  it('never runs two calls of the same load balancer at the same time', async () => {
    let underWay = 0;
    let most = 0;
    const bench = executorBench(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await bench.clock.sleep(100);
      underWay -= 1;
      return {};
    });
    const all = Promise.all(
      ['SetA', 'SetB', 'DeleteC'].map((action) => bench.executor.call(slb(action), {}, aCall(), 'lb-1')),
    );
    await bench.clock.advance(300);
    await all;
    assert.equal(most, 1);
  });

  describe('keeps secrets', () => {
    const secret = 'wJalrXUtnFEMIK7bPxRfi';
    const leaky = new CloudRejection(`server string to sign is: AccessKeyId=LTAI12345678&x, your key ${secret}`, {
      code: 'SignatureDoesNotMatch',
      status: 400,
      requestId: 'R-1',
    });

    it('out of errors, logs and metrics', async () => {
      const { executor, lines, registry } = executorBench(scriptedCloud(leaky).transport, { secrets: () => [secret] });
      const error = await executor
        .call(WRITE, { LoadBalancerId: 'lb-1', Cookie: secret, ClientToken: secret }, aCall())
        .catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error);
      const everywhere = [error.message, error.stack, JSON.stringify(error), ...lines, await registry.metrics()].join(
        '\n',
      );
      assert.match(everywhere, /SignatureDoesNotMatch/);
      assert.match(everywhere, /lb-1/);
      assert.doesNotMatch(everywhere, new RegExp(secret));
      assert.doesNotMatch(everywhere, /LTAI12345678/);
    });
  });

  it('counts calls by action and code, throttled calls, and the durations of calls and waits', async () => {
    const { transport } = scriptedCloud({ RequestId: 'R' }, throttling);
    const { executor, registry } = executorBench(transport);
    await executor.call(WRITE, {}, aCall());
    await assert.rejects(executor.call(WRITE, {}, aCall()));
    const text = await registry.metrics();
    assert.match(text, /portcullis_cloud_calls_total\{action="SetLoadBalancerName",code="OK"\} 1/);
    assert.match(text, /portcullis_cloud_calls_total\{action="SetLoadBalancerName",code="Throttling.User"\} 1/);
    assert.match(text, /portcullis_cloud_throttled_total\{action="SetLoadBalancerName"\} 1/);
    assert.match(text, /portcullis_cloud_call_duration_seconds_count\{action="SetLoadBalancerName"\} 2/);
    assert.match(text, /portcullis_cloud_limiter_wait_seconds_count\{action="SetLoadBalancerName",lane="change"\} 2/);
  });

  it('counts an invalid code of a response as "other"', async () => {
    const odd = new CloudRejection('odd', { code: `x"\n${'y'.repeat(500)}`, status: 400 });
    const { executor, registry } = executorBench(scriptedCloud(odd).transport);
    await assert.rejects(executor.call(WRITE, {}, aCall()), { reason: 'Rejected' });
    assert.match(await registry.metrics(), /code="other"\} 1/);
  });

  it('logs each call at debug level with its outcome and request id', async () => {
    const { executor, lines } = executorBench(scriptedCloud({ RequestId: 'R-7' }).transport);
    await executor.call(WRITE, { LoadBalancerId: 'lb-1' }, aCall());
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.equal(line['msg'], 'cloud call');
    assert.deepEqual(
      [line['level'], line['action'], line['code'], line['requestId'], line['lane']],
      [20, 'SetLoadBalancerName', 'OK', 'R-7', 'change'],
    );
    assert.deepEqual(line['parameters'], { LoadBalancerId: 'lb-1' });
  });
});
