import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec } from '../../../../src/policy/custom-resources.ts';
import { lastFailure, INTRANET, ports, portsOf, requiring, ruled, OTHER } from '../../../support/policy-controller.ts';
import {
  annotated,
  apply,
  ingress,
  loadBalancers,
  patch,
  statusAndReason,
} from '../../../support/running-controller.ts';

const BLOCKED = ['False', 'PolicyViolation'];
const PUBLIC_WITH_ACL: LoadBalancerPolicySpec = {
  constraints: [
    {
      name: 'acl',
      when: [{ annotation: 'address-type', oneOf: ['internet'] }],
      require: [{ annotation: 'acl-status', oneOf: ['on'] }],
    },
  ],
};
const SMALL_IF_CHARGED_BY_SPEC: LoadBalancerPolicySpec = {
  constraints: [
    {
      name: 'small',
      when: [{ annotation: 'instance-charge-type', oneOf: ['PayBySpec'] }],
      require: [{ annotation: 'spec', oneOf: ['slb.s1.small'] }],
    },
  ],
};

/** A policy must apply to the real load balancer. Otherwise a user could evade it by an annotation without effect. */
describe('a policy for a Service whose annotations differ from its load balancer', () => {
  it('applies to a public load balancer, although annotation and label name a private one', async () => {
    const { run } = await ruled(PUBLIC_WITH_ACL, {
      accessControlLists: [{ id: 'acl-1', name: 'partners' }],
      loadBalancers: [{ id: 'lb-intra', name: 'x', address: '10.0.0.9', addressType: 'intranet' }],
    });
    await apply(run, { annotations: annotated({ 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-1' }) });
    await patch(run, {
      metadata: {
        labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-intra' },
        annotations: annotated({ 'address-type': 'intranet', 'acl-status': 'off' }),
      },
    });
    const owned = loadBalancers(run).find(({ id }) => id !== 'lb-intra');
    assert.equal(owned?.listeners[0]?.attributes['AclStatus'], 'on');
    assert.match(lastFailure(run), /acl-status\]: Invalid value: "off": must be on/);
    await run.process.stop();
  });

  it('counts a public load balancer as public', async () => {
    const { run } = await ruled({ quotas: [{ name: 'q', per: 'namespace', publicLoadBalancers: 1 }] });
    await apply(run);
    await patch(run, { metadata: { annotations: annotated({ 'address-type': 'intranet' }) } });
    await apply(run, { ...OTHER, ports: [81] });
    assert.equal(loadBalancers(run).length, 1);
    assert.match(lastFailure(run), /publicLoadBalancers: used 1, requested 1, hard 1/);
    await run.process.stop();
  });

  it('limits the specification of a load balancer that is charged by specification', async () => {
    const { run } = await ruled(SMALL_IF_CHARGED_BY_SPEC);
    await apply(run, { annotations: annotated({ 'instance-charge-type': 'PayBySpec', spec: 'slb.s1.small' }) });
    const change = { spec: 'slb.s3.large', 'instance-charge-type': null };
    await patch(run, { metadata: { annotations: annotated<string | null>(change) } });
    assert.match(lastFailure(run), /Invalid value: "slb\.s3\.large": .*blocked: change the specification/);
    await run.process.stop();
  });

  const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', tags: { cost: '7' } }] };
  const UNKNOWN: Readonly<Record<string, LoadBalancerPolicySpec>> = {
    'address type': requiring(INTRANET),
    tags: requiring({ reusedTag: 'shared', present: true, oneOf: ['services'] }),
    'address type, which requires an ACL': PUBLIC_WITH_ACL,
  };
  for (const [what, spec] of Object.entries(UNKNOWN))
    it(`applies to a user-managed load balancer by its ${what}, without the inventory`, async () => {
      const { run, lift } = await ruled(spec, SHARED);
      await apply(run, { annotations: annotated({ id: 'lb-shared', 'force-override-listeners': 'true' }) });
      assert.deepEqual([portsOf(run), statusAndReason(run)], [[], BLOCKED]);
      await lift();
      assert.deepEqual(portsOf(run), [80]);
      await run.process.stop();
    });
});

describe('a policy about the published address', () => {
  const SHOP = requiring({ annotation: 'hostname', oneOf: ['*.shop.example.com'] });
  const named = (hostname: string) => ({ annotations: annotated({ hostname }) });
  const [FIRST, SECOND, FORBIDDEN] = ['a.shop.example.com', 'b.shop.example.com', 'www.bank.example.com'] as const;

  it('keeps the published host name instead of a forbidden host name', async () => {
    const { run, lift } = await ruled(SHOP);
    await apply(run, named(FIRST));
    assert.deepEqual(ingress(run), [{ hostname: FIRST }]);
    await patch(run, { metadata: named(FORBIDDEN) });
    assert.deepEqual([ingress(run), statusAndReason(run)], [[{ hostname: FIRST }], BLOCKED]);
    assert.match(lastFailure(run), /hostname\]: Invalid value: "www\.bank\.example\.com": /);
    await patch(run, { metadata: named(SECOND) });
    assert.deepEqual([ingress(run), statusAndReason(run)[0]], [[{ hostname: SECOND }], 'True']);
    await patch(run, { metadata: named(FORBIDDEN) });
    await lift();
    assert.deepEqual([ingress(run), statusAndReason(run)[0]], [[{ hostname: FORBIDDEN }], 'True']);
    await run.process.stop();
  });

  it('keeps a host name that was published before the policy', async () => {
    const { run, enforce } = await ruled();
    await apply(run, named(FORBIDDEN));
    await enforce(SHOP);
    await patch(run, { spec: { ports: ports(80, 81) } });
    assert.deepEqual(ingress(run), [{ hostname: FORBIDDEN }]);
    assert.deepEqual([portsOf(run), statusAndReason(run)[0]], [[80, 81], 'True']);
    await run.process.stop();
  });

  it('keeps the address of the load balancer instead of a forbidden elastic address', async () => {
    const { run } = await ruled(requiring({ annotation: 'external-ip-type', present: false }));
    await apply(run, { annotations: annotated({ 'address-type': 'intranet' }) });
    const before = ingress(run);
    await patch(run, { metadata: { annotations: annotated({ 'external-ip-type': 'eip' }) } });
    assert.deepEqual([ingress(run), statusAndReason(run)], [before, BLOCKED]);
    await run.process.stop();
  });
});
