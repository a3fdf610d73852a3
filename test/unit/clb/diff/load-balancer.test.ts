import assert from 'node:assert/strict';
import { describeAction } from '../../../../src/clb/model/action.ts';
import { diffLoadBalancer, zonesWithoutEffect } from '../../../../src/clb/diff/load-balancer.ts';
import type { LoadBalancer, LoadBalancerAttributes } from '../../../../src/clb/model/load-balancer.ts';
import type { Present } from '../../../../src/clb/model/desired-and-observed-state.ts';
import { aLoadBalancer, aPresent, LB_ID } from '../../../support/clb-objects.ts';

const reused: Present['use'] = { kind: 'reused', id: LB_ID, overrideListeners: false };
const texts = (desired: Partial<Present>, observed: Partial<LoadBalancer> = {}): readonly string[] =>
  diffLoadBalancer(aPresent(desired), aLoadBalancer(observed)).actions.map(describeAction);

/** Some changes are impossible or cost money, so the plan must report them instead of trying. */
describe('an attribute that is fixed at creation', () => {
  const fixed: Readonly<Record<string, readonly [LoadBalancerAttributes, Partial<LoadBalancer>]>> = {
    'address-type': [{ addressType: 'intranet' }, { addressType: 'intranet' }],
    'ip-version': [{ ipVersion: 'ipv6' }, { ipVersion: 'ipv6' }],
    ip: [{ address: '10.0.0.9' }, { address: '10.0.0.9' }],
    'network-type': [{ networkType: 'classic' }, { networkType: 'classic', addressType: 'intranet' }],
    'resource-group-id': [{ resourceGroupId: 'rg-2' }, { resourceGroupId: 'rg-2' }],
    'master-zoneid': [{ masterZoneId: 'cn-hangzhou-b' }, { masterZoneId: 'cn-hangzhou-b' }],
    'slave-zoneid': [{ slaveZoneId: 'cn-hangzhou-d' }, { slaveZoneId: 'cn-hangzhou-d' }],
  };
  const others: Partial<LoadBalancer> = {
    addressType: 'intranet',
    networkType: 'vpc',
    resourceGroupId: 'rg-1',
    masterZoneId: 'cn-hangzhou-a',
    slaveZoneId: 'cn-hangzhou-a',
  };
  for (const [suffix, [attributes, same]] of Object.entries(fixed)) {
    for (const use of [{ kind: 'owned' } as const, reused]) {
      it(`is reported for ${suffix} if it differs on a load balancer that is ${use.kind}, without a call`, () => {
        const unlike = suffix === 'address-type' ? { ...others, addressType: 'internet' as const } : others;
        const tags = use.kind === 'owned' ? aLoadBalancer().tags : { 'kubernetes.reused.by.user': 'true' };
        const { actions, blocked } = diffLoadBalancer(
          aPresent({ use, attributes }),
          aLoadBalancer({ ...unlike, tags }),
        );
        assert.deepEqual(actions, []);
        assert.deepEqual(
          blocked.map(({ rule }) => rule),
          ['Immutable'],
        );
        assert.match(blocked[0]?.reason ?? '', new RegExp(`^${suffix} is `));
      });
    }
    it(`is not reported for ${suffix} if it is equal`, () => {
      assert.deepEqual(diffLoadBalancer(aPresent({ attributes }), aLoadBalancer(same)), { actions: [], blocked: [] });
    });
  }

  it('causes only a warning if the region has no primary and secondary zones', () => {
    const desired = aPresent({ attributes: { masterZoneId: 'cn-hangzhou-b', slaveZoneId: 'cn-hangzhou-d' } });
    const { masterZoneId, slaveZoneId, ...observed } = aLoadBalancer({ ...others });
    assert.deepEqual([masterZoneId, slaveZoneId], ['cn-hangzhou-a', 'cn-hangzhou-a']);
    assert.deepEqual(diffLoadBalancer(desired, observed).blocked, []);
    assert.deepEqual(zonesWithoutEffect(desired, observed), ['master-zoneid', 'slave-zoneid']);
    assert.deepEqual(zonesWithoutEffect(desired, aLoadBalancer(others)), []);
  });

  it('is ignored if it is the network type of an internet load balancer', () => {
    const observed = aLoadBalancer({ networkType: 'classic' });
    assert.deepEqual(diffLoadBalancer(aPresent({ attributes: { networkType: 'vpc' } }), observed).blocked, []);
  });
});

describe('the size and charge type of a load balancer', () => {
  const bySpec: Partial<LoadBalancer> = { instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' };
  const changes: Readonly<Record<string, readonly [LoadBalancerAttributes, Partial<LoadBalancer>, readonly string[]]>> =
    {
      'change to the requested specification if charged by specification': [
        { spec: 'slb.s3.small' },
        bySpec,
        ['change the specification to slb.s3.small'],
      ],
      'ignore a specification if charged by use': [{ spec: 'slb.s3.small' }, {}, []],
      'change to charging by use, and keep the specification': [
        { instanceChargeType: 'PayByCLCU', spec: 'slb.s3.small' },
        bySpec,
        ['change the instance charge type to PayByCLCU'],
      ],
      'change to charging by bandwidth, with the requested bandwidth': [
        { internetChargeType: 'paybybandwidth', bandwidth: 100 },
        { ...bySpec, internetChargeType: 'paybytraffic', bandwidth: 1 },
        ['change the internet specification: bandwidth=100, chargeType=paybybandwidth'],
      ],
      'ignore a bandwidth if charged by traffic': [
        { internetChargeType: 'paybytraffic', bandwidth: 100 },
        { ...bySpec, bandwidth: 1 },
        [],
      ],
      'ignore a bandwidth without a public address': [
        { internetChargeType: 'paybybandwidth', bandwidth: 100 },
        { ...bySpec, addressType: 'intranet' },
        [],
      ],
      'ignore an internet charge type if charged by use': [
        { internetChargeType: 'paybytraffic' },
        { internetChargeType: 'paybybandwidth' },
        [],
      ],
    };
  for (const [title, [attributes, observed, expected]] of Object.entries(changes))
    it(title, () => assert.deepEqual(texts({ attributes }, observed), expected));

  it('stay charged by use, with a warning, if charging by specification is requested', () => {
    const attributes: LoadBalancerAttributes = { instanceChargeType: 'PayBySpec', spec: 'slb.s3.small' };
    const { actions, blocked } = diffLoadBalancer(aPresent({ attributes }), aLoadBalancer());
    assert.deepEqual(actions, []);
    assert.match(
      blocked[0]?.reason ?? '',
      /^instance-charge-type is PayBySpec, .*cannot change back; restore the previous value/,
    );
  });

  it('stay charged by use, with a warning, if charging by bandwidth is requested', () => {
    const attributes: LoadBalancerAttributes = { internetChargeType: 'paybybandwidth', bandwidth: 100 };
    const { actions, blocked } = diffLoadBalancer(aPresent({ attributes }), aLoadBalancer());
    assert.deepEqual(actions, []);
    assert.match(
      blocked[0]?.reason ?? '',
      /^charge-type is paybybandwidth, which requires PayBySpec, .*restore the previous value/,
    );
    const within = diffLoadBalancer(aPresent({ attributes }), aLoadBalancer({ addressType: 'intranet' }));
    assert.deepEqual(within, { actions: [], blocked: [] });
  });
});

describe('the tags of a load balancer', () => {
  const own = aLoadBalancer().tags;
  const theirs = { cost: '7', 'acs:rm:id': 'x' };
  it('that is owned are exactly the requested tags, and those of controllers and of the cloud', () => {
    const desired = { tags: { team: 'shop' }, isTagsComplete: true };
    assert.deepEqual(texts(desired, { tags: { ...own, ...theirs } }), [
      'tag the load balancer: team=shop',
      'remove tags from the load balancer: cost',
    ]);
  });

  it('that is owned stay unchanged if none was ever requested', () => {
    assert.deepEqual(texts({}, { tags: { ...own, ...theirs } }), []);
  });

  it('that is user-managed are added, and never removed', () => {
    const tags = { ...theirs, 'kubernetes.reused.by.user': 'true' };
    assert.deepEqual(texts({ use: reused, tags: { team: 'shop' } }, { tags }), ['tag the load balancer: team=shop']);
  });

  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag-${index}`, 'hers']));
  const marks: Readonly<Record<number, readonly string[]>> = {
    9: ['tag the load balancer: kubernetes.reused.by.user=true'],
    10: [],
  };
  for (const [count, expected] of Object.entries(marks))
    it(`that is user-managed do ${expected.length === 0 ? 'not ' : ''}include the reuse tag if it has ${count} tags`, () => {
      assert.deepEqual(texts({ use: reused }, { tags: many(Number(count)) }), expected);
    });
});

describe('a request for the charge type by bandwidth', () => {
  const internetChargeType = 'paybybandwidth' as const;
  const bySpec = { addressType: 'internet', instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' } as const;
  const byTraffic = { ...bySpec, internetChargeType: 'paybytraffic' } as const;
  const byBandwidth = { ...bySpec, internetChargeType } as const;
  type Row = readonly [LoadBalancerAttributes, Partial<LoadBalancer>, object | undefined];
  const rows: Readonly<Record<string, Row>> = {
    'has the bandwidth and the charge type': [
      { internetChargeType, bandwidth: 50 },
      { ...byTraffic, bandwidth: 100 },
      { chargeType: internetChargeType, bandwidth: 50 },
    ],
    'keeps a known bandwidth': [
      { internetChargeType },
      { ...byTraffic, bandwidth: 100 },
      { chargeType: internetChargeType },
    ],
    'has the minimum if the bandwidth is unknown': [
      { internetChargeType },
      byTraffic,
      { chargeType: internetChargeType, bandwidth: 1 },
    ],
    'changes nothing after the creation': [{ internetChargeType }, byBandwidth, undefined],
  };
  for (const [what, [attributes, observed, change]] of Object.entries(rows)) {
    it(what, () => {
      const { actions } = diffLoadBalancer(aPresent({ attributes }), aLoadBalancer(observed));
      assert.deepEqual(actions, change === undefined ? [] : [{ kind: 'set-internet-spec', change }]);
    });
  }
});

/** A Service that names a load balancer must not get a load balancer of its own, which would cost money. */
describe('a missing load balancer', () => {
  for (const [title, use, kinds] of [
    ['is created if the Service owns its load balancer', { kind: 'owned' }, ['create-load-balancer']],
    ['is not created if the Service names its load balancer', reused, []],
  ] as const) {
    it(title, () => {
      const { actions } = diffLoadBalancer(aPresent({ use }), undefined);
      assert.deepEqual(
        actions.map(({ kind }) => kind),
        kinds,
      );
    });
  }
});
