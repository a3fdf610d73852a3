import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import {
  annotated,
  apply,
  changes,
  ingress,
  loadBalancers,
  now,
  patch,
  running,
  standing,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const GROUP = { id: 'rsp-hers', name: 'hers', backends: [] };
const REUSING = { id: 'lb-made', 'force-override-listeners': 'true' };
const seed = (extra: object = {}) => ({
  loadBalancers: [{ id: 'lb-made', name: 'by-hand', address: '47.1.1.1', serverGroups: [GROUP], ...extra }],
});
const HELD = { listeners: [{ port: 80, protocol: 'tcp', attributes: { Description: 'hers' } }] };

/** Services that can be served on none of their ports, on a load balancer with a group of people. */
const WITHOUT: Readonly<Record<string, { readonly said: Record<string, string>; readonly extra: object }>> = {
  'a person’s listener has its only port': { said: REUSING, extra: HELD },
  'its only port is for a group that is not there': {
    said: { id: 'lb-made', 'vgroup-port': 'rsp-none:80' },
    extra: {},
  },
  'its only port is for a group that is not there, and its listeners are its own to make': {
    said: { ...REUSING, 'vgroup-port': 'rsp-none:80' },
    extra: {},
  },
};

describe('a Service that is served on no port of the load balancer that it reuses', () => {
  for (const [why, { said, extra }] of Object.entries(WITHOUT)) {
    it(`changes nothing, publishes no address and lets itself go, as ${why}`, async () => {
      const run = await running({}, seed(extra));
      const before = cloudPicture(run.cluster.simulator);
      await apply(run, { annotations: annotated(said) });
      const { finalizers, labels = {} } = run.cluster.service()?.metadata ?? {};
      assert.deepEqual([ingress(run), finalizers, labels], [undefined, undefined, {}]);
      assert.equal(standing(run)[0], 'False');
      assert.deepEqual(cloudPicture(run.cluster.simulator), before);
      await patch(run, { metadata: { annotations: { 'service.beta.kubernetes.io/class': 'other' } } });
      assert.deepEqual([ingress(run), run.cluster.service()?.metadata.finalizers], [undefined, undefined]);
      await run.process.stop();
    });
  }

  it('is held and told its address once it is served on one of them', async () => {
    const run = await running({}, seed(HELD));
    await apply(run, { annotations: annotated(REUSING) });
    await patch(run, { spec: aService({ ports: [80, 443] }).spec });
    assert.deepEqual([ingress(run), standing(run)], [[{ ip: '47.1.1.1' }], ['False', 'PortOwner']]);
    assert.deepEqual(run.cluster.service()?.metadata.finalizers, ['service.k8s.alibaba/resources']);
    await run.process.stop();
  });

  it('keeps what it asks of the load balancer up while one port is served and another is not', async () => {
    const run = await running({}, seed(HELD));
    await apply(run, { annotations: annotated(REUSING), ports: [80, 443] });
    const since = now(run);
    await patch(run, { metadata: { annotations: annotated({ name: 'renamed' }) } });
    assert.deepEqual([changes(run, since), loadBalancers(run)[0]?.name], [['SetLoadBalancerName'], 'renamed']);
    await run.process.stop();
  });
});
