import { sample } from '../service-lookup.ts';
import { denied } from '../denied-requests.ts';
import { expect, type DemoStep } from '../demo-step.ts';

const COMBINED = ['connection-drain-timeout', 'acl-id', 'acl-type', 'ip-version'].map((name) => `loadbalancer-${name}`);

export const invalidCombinations: DemoStep = {
  title: 'Annotations that contradict each other',
  about:
    'Ports that do not fit their listeners, annotations that need or contradict another annotation, and more tags than the cloud accepts. ' +
    'Without the webhook, the cloud rejects each of them later, one after the other.',
  run: async (demo) => {
    const ports = ['loadbalancer-cert-id', 'loadbalancer-forward-port', 'spec.ports[3].protocol'];
    const [, , combined] = await denied(
      demo,
      { args: ['apply', '-f', sample('ports')], fields: ports },
      { args: ['apply', '-f', sample('limits')], fields: ['additional-resource-tags'] },
      { args: ['apply', '-f', sample('combinations')], fields: COMBINED },
    );
    const stderr = combined?.stderr ?? '';
    const isWarned = /^Warning: .*loadBalancerSourceRanges.*accepts every client/m.test(stderr);
    expect(demo, isWarned, 'a warning names a field that restricts no client', stderr);
  },
};
