import { sample } from '../service-lookup.ts';
import { denied } from '../denied-requests.ts';
import { expect, type DemoStep } from '../demo-step.ts';

/** The invalid fields of the sample, in short form. The denial must have one cause for each field. */
const VIOLATING_FIELDS = [
  'loadbalancer-bandwidth',
  'loadbalancer-scheduler',
  'loadbalancer-established-timeout',
  'loadbalancer-health-check-healthy-threshold',
  'loadbalancer-protocol-port',
  'spec.ports[2].protocol',
] as const;

export const invalidService: DemoStep = {
  title: 'A bad Service is denied, with every violation',
  about:
    'This Service has too much bandwidth, an unknown scheduler, a misspelled annotation, a protocol for a port that does not exist, a timeout ' +
    'that is not a number of seconds, and an SCTP port. One apply reports all of them.',
  run: async (demo) => {
    const [output] = await denied(demo, { args: ['apply', '-f', sample('faults')], fields: VIOLATING_FIELDS });
    const stderr = output?.stderr ?? '';
    const isSuggested = stderr.includes('loadbalancer-healthy-threshold');
    expect(demo, isSuggested, 'the nearest known annotation is suggested', stderr);
  },
};
