import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec } from '../../../src/policy/resource.ts';
import { complaint, INTRANET, ports, portsOf, requiring, ruled } from '../../support/ruled.ts';
import { annotated, annotation, apply, ingress, loadBalancers, patch, standing } from '../../support/running.ts';

describe('a policy, to a controller', () => {
  describe('to one that says of its load balancer what is not so', () => {
    const ACL = { accessControlLists: [{ id: 'acl-1', name: 'partners' }] };
    const ON = annotated({ 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-1' });
    const WITH_ACL: LoadBalancerPolicySpec = {
      constraints: [
        {
          name: 'acl',
          when: [{ annotation: 'address-type', oneOf: ['internet'] }],
          require: [{ annotation: 'acl-status', oneOf: ['on'] }],
        },
      ],
    };
    const COST: LoadBalancerPolicySpec = {
      constraints: [
        {
          name: 'small',
          when: [{ annotation: 'instance-charge-type', oneOf: ['PayBySpec'] }],
          require: [{ annotation: 'spec', oneOf: ['slb.s1.small'] }],
        },
      ],
    };

    it('holds for what is on the internet', async () => {
      const { run } = await ruled(WITH_ACL, {
        ...ACL,
        loadBalancers: [{ id: 'lb-intra', name: 'x', address: '10.0.0.9', addressType: 'intranet' }],
      });
      await apply(run, { annotations: ON });
      const own = () => loadBalancers(run).find(({ id }) => id !== 'lb-intra');
      await patch(run, {
        metadata: {
          labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-intra' },
          annotations: annotated({ 'address-type': 'intranet', 'acl-status': 'off' }),
        },
      });
      assert.equal(own()?.listeners[0]?.attributes['AclStatus'], 'on');
      assert.match(complaint(run), /acl-status\]: found "off", allowed: on/);
      await run.process.stop();
    });

    it('counts it as on the internet', async () => {
      const { run } = await ruled({ quotas: [{ name: 'q', per: 'namespace', publicLoadBalancers: 1 }] });
      await apply(run);
      await patch(run, { metadata: { annotations: annotated({ 'address-type': 'intranet' }) } });
      await apply(run, { name: 'api', uid: '00000000-0000-4000-8000-000000000002', ports: [81] });
      assert.equal(loadBalancers(run).length, 1);
      assert.match(complaint(run), /publicLoadBalancers: used 1, requested 1, hard 1/);
      await run.process.stop();
    });

    it('holds for the specification of one that is charged by it, though the Service says nothing of that any more', async () => {
      const { run } = await ruled(COST);
      const charged = { 'instance-charge-type': 'PayBySpec', spec: 'slb.s1.small' };
      await apply(run, { annotations: annotated(charged) });
      await patch(run, {
        metadata: {
          annotations: { ...annotated({ spec: 'slb.s3.large' }), [annotation('instance-charge-type')]: null },
        },
      });
      assert.match(complaint(run), /found "slb\.s3\.large".*not done: change the specification/);
      await run.process.stop();
    });

    const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', tags: { cost: '7' } }] };
    const UNKNOWN: Readonly<Record<string, LoadBalancerPolicySpec>> = {
      'where it is': requiring(INTRANET),
      'its tags': requiring({ reusedTag: 'shared', present: true, oneOf: ['services'] }),
      'what has to be where it is': WITH_ACL,
    };
    for (const [what, spec] of Object.entries(UNKNOWN)) {
      it(`holds of one that is reused for ${what}, though no mirror shows it`, async () => {
        const { run, lift } = await ruled(spec, SHARED);
        await apply(run, { annotations: annotated({ id: 'lb-shared', 'force-override-listeners': 'true' }) });
        assert.deepEqual(portsOf(run), []);
        assert.deepEqual(standing(run), ['False', 'Policy']);
        await lift();
        assert.deepEqual(portsOf(run), [80]);
        await run.process.stop();
      });
    }
  });

  describe('about where a Service is to be reached', () => {
    const SHOP = requiring({ annotation: 'hostname', oneOf: ['*.shop.example.com'] });

    it('leaves the name as it is told where another is not allowed', async () => {
      const { run, lift } = await ruled(SHOP);
      await apply(run, { annotations: annotated({ hostname: 'a.shop.example.com' }) });
      assert.deepEqual(ingress(run), [{ hostname: 'a.shop.example.com' }]);
      await patch(run, { metadata: { annotations: annotated({ hostname: 'www.bank.example.com' }) } });
      assert.deepEqual(ingress(run), [{ hostname: 'a.shop.example.com' }]);
      assert.deepEqual(standing(run), ['False', 'Policy']);
      assert.match(complaint(run), /hostname\]: found "www\.bank\.example\.com"/);
      await patch(run, { metadata: { annotations: annotated({ hostname: 'b.shop.example.com' }) } });
      assert.deepEqual([ingress(run), standing(run)[0]], [[{ hostname: 'b.shop.example.com' }], 'True']);
      await patch(run, { metadata: { annotations: annotated({ hostname: 'www.bank.example.com' }) } });
      await lift();
      assert.deepEqual([ingress(run), standing(run)[0]], [[{ hostname: 'www.bank.example.com' }], 'True']);
      await run.process.stop();
    });

    it('takes no name from those who were told it before', async () => {
      const { run, enforce } = await ruled();
      await apply(run, { annotations: annotated({ hostname: 'www.bank.example.com' }) });
      await enforce(SHOP);
      await patch(run, { spec: { ports: ports(80, 81) } });
      assert.deepEqual(ingress(run), [{ hostname: 'www.bank.example.com' }]);
      assert.deepEqual([portsOf(run), standing(run)[0]], [[80, 81], 'True']);
      await run.process.stop();
    });

    it('tells the address of the load balancer where an elastic one is not to be told', async () => {
      const { run } = await ruled(requiring({ annotation: 'external-ip-type', present: false }));
      await apply(run, { annotations: annotated({ 'address-type': 'intranet' }) });
      const before = ingress(run);
      await patch(run, { metadata: { annotations: annotated({ 'external-ip-type': 'eip' }) } });
      assert.deepEqual([ingress(run), standing(run)], [before, ['False', 'Policy']]);
      await run.process.stop();
    });
  });
});
