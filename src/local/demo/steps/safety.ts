import { NAMESPACE, sample } from '../objects.ts';
import { expect, silentlyUntil, type DemoStep } from '../demo.ts';

const service = (name: string, ...flags: readonly string[]): readonly string[] => [
  ...['create', 'service', 'loadbalancer', name, '--tcp=80:8080'],
  ...['--namespace', NAMESPACE, '--dry-run=server', ...flags],
];

export const safety: DemoStep = {
  title: 'What protects others, while the webhook is down',
  about:
    'The webhook is killed. The API server itself denies what would take the load balancer of the API server away, by a ' +
    'ValidatingAdmissionPolicy; everything else passes, because a cluster must not stand still without us.',
  run: async (tour) => {
    const { kubectl } = tour;
    await tour.killWebhook();
    tour.narrator.command('kill -KILL <webhook>');
    const { code, stderr } = await kubectl.show('apply', '-f', sample('reuse-api-server'));
    const isDenied = code !== 0 && stderr.includes('ValidatingAdmissionPolicy');
    expect(tour, isDenied, 'reuse-api-server is denied all the same', stderr || 'it was accepted');
    const plain = await kubectl.show(...service('plain'));
    expect(tour, plain.code === 0, 'the rest passes', plain.stderr);
    await tour.startWebhook();
    tour.narrator.command('portcullis webhook …');
    await silentlyUntil(tour, 'the webhook denies again', 30_000, async () => {
      const faults = await kubectl.quiet('apply', '--dry-run=server', '-f', sample('limits'));
      return faults.code !== 0 ? { seen: true } : { not: 'what only the webhook denies was accepted' };
    });
    tour.narrator.confirm('the webhook denies again');
  },
};
