import { sample } from '../objects.ts';
import { expect, type Step } from '../tour.ts';

/** What each bullet has to speak of. */
const FAULTS = [
  'loadbalancer-bandwidth',
  'loadbalancer-scheduler',
  'loadbalancer-health-check-healthy-threshold',
  'loadbalancer-protocol-port',
  'loadbalancer-established-timeout',
  'targetPort',
] as const;

export const faults: Step = {
  title: 'A bad Service is refused, with every fault named',
  about:
    'This Service asks for too much bandwidth, an unknown scheduler, a misspelt annotation, a protocol for a port that it does not have, a time ' +
    'that is not a number of seconds, and a named target port with pods as backends. One apply tells it all.',
  run: async (tour) => {
    const { code, stderr } = await tour.kubectl.show('apply', '-f', sample('faults'));
    expect(tour, code !== 0, 'the Service is refused', `kubectl ended with ${code}`);
    const bullets = stderr.split('\n').filter((line) => line.startsWith('* '));
    for (const fault of FAULTS) {
      expect(
        tour,
        bullets.some((bullet) => bullet.includes(fault)),
        `a bullet about ${fault}`,
        stderr,
      );
    }
    expect(tour, stderr.includes('healthy-threshold'), 'the nearest known annotation is suggested', stderr);
  },
};
