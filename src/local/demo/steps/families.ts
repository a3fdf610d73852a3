import { sample } from '../objects.ts';
import { denied } from '../denial.ts';
import { expect, type DemoStep } from '../demo.ts';

const COMBINED = ['connection-drain-timeout', 'acl-id', 'acl-type', 'ip-version'].map((name) => `loadbalancer-${name}`);

export const families: DemoStep = {
  title: 'What is right by itself, and wrong together',
  about:
    'Ports that cannot become the listeners that they are asked to be; annotations that need another one or contradict one; more tags than ' +
    'the cloud takes. Today the cloud notices each of them later, one after the other.',
  run: async (tour) => {
    const ports = ['loadbalancer-cert-id', 'loadbalancer-forward-port', 'spec.ports[3].protocol'];
    await denied(tour, ports, 'apply', '-f', sample('ports'));
    const { stderr } = await denied(tour, COMBINED, 'apply', '-f', sample('combinations'));
    const isWarned = /^Warning: .*loadBalancerSourceRanges.*lets everybody in/m.test(stderr);
    expect(tour, isWarned, 'and a warning tells of a field that keeps nobody out', stderr);
    await denied(tour, ['additional-resource-tags'], 'apply', '-f', sample('limits'));
  },
};
