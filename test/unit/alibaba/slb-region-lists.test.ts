import assert from 'node:assert/strict';
import { scriptedSlb } from '../../support/scripted-slb.ts';

const RegionId = 'cn-hangzhou';

/** An incomplete list of the region must not count as complete, because the inventory deletes what the list lacks. */
describe('the region of SLB', () => {
  const page = (from: number, to: number, total: number) => ({
    LoadBalancers: {
      LoadBalancer: Array.from({ length: to - from }, (_, n) => ({
        LoadBalancerId: `lb-${from + n}`,
        AddressType: 'internet',
      })),
    },
    TotalCount: total,
  });
  const never = new AbortController().signal;

  for (const [title, pages, expected] of [
    ['an empty region in a single call', [page(0, 0, 0)], 0],
    ['a full page in a single call', [page(0, 100, 100)], 100],
    ['all pages', [page(0, 100, 250), page(100, 200, 250), page(200, 250, 250)], 250],
    ['a repeated load balancer once', [page(0, 100, 101), page(99, 101, 101)], 101],
  ] as const) {
    it(`lists ${title}`, async () => {
      const { region, sent } = scriptedSlb(...pages);
      assert.equal((await region.listLoadBalancers(never)).length, expected);
      assert.equal(sent.length, pages.length);
    });
  }

  it('is incomplete if a load balancer may be missing between pages', async () => {
    const { region } = scriptedSlb(page(0, 100, 150), page(101, 150, 150));
    await assert.rejects(region.listLoadBalancers(never), {
      reason: 'Unavailable',
      message: /149 of 150 .* the list changed meanwhile/,
    });
  });

  it('is incomplete if a deletion moves a load balancer to an earlier page', async () => {
    for (const pages of [
      [page(0, 100, 150), page(101, 150, 149)],
      [page(0, 100, 250), page(101, 201, 249), page(201, 251, 250)],
    ]) {
      const { region } = scriptedSlb(...pages);
      await assert.rejects(region.listLoadBalancers(never), { reason: 'Unavailable' });
    }
  });

  it('is incomplete if a page is empty before the end', async () => {
    const { region, sent } = scriptedSlb(page(0, 100, 300), page(0, 0, 300));
    await assert.rejects(region.listLoadBalancers(never), { reason: 'Unavailable' });
    assert.equal(sent.length, 2);
  });

  it('lists the listeners of several load balancers over all pages, without unknown protocols', async () => {
    const listener = (id: string, port: number, protocol: string) => ({
      LoadBalancerId: id,
      ListenerPort: port,
      ListenerProtocol: protocol,
    });
    const { region, sent } = scriptedSlb(
      {
        Listeners: [
          { ...listener('lb-1', 80, 'http'), Description: 'k8s/80/web/shop/c1', Scheduler: 'wrr' },
          { ...listener('lb-2', 53, 'udp'), Scheduler: 'of later times' },
          listener('lb-2', 9, 'tcpssl'),
        ],
        NextToken: 'n',
      },
      { Listeners: [listener('lb-1', 443, 'HTTPS')] },
    );
    assert.deepEqual(
      [...(await region.listListenersOf(['lb-1', 'lb-2', 'lb-3'], never))],
      [
        [
          'lb-1',
          [
            { port: 80, protocol: 'http', description: 'k8s/80/web/shop/c1', scheduler: 'wrr' },
            { port: 443, protocol: 'https', description: '' },
          ],
        ],
        ['lb-2', [{ port: 53, protocol: 'udp', description: '' }]],
      ],
    );
    const ids = { 'LoadBalancerId.1': 'lb-1', 'LoadBalancerId.2': 'lb-2', 'LoadBalancerId.3': 'lb-3' };
    assert.deepEqual(
      sent.map(({ parameters }) => parameters),
      [
        { RegionId, ...ids, MaxResults: '100' },
        { RegionId, ...ids, MaxResults: '100', NextToken: 'n' },
      ],
    );
  });
});
