import { NAMESPACE, sample } from '../service-lookup.ts';
import { expect, silentlyUntil, type DemoStep } from '../demo-step.ts';

/** Returns the arguments of a dry run that creates a Service. */
const service = (name: string, ...flags: readonly string[]): readonly string[] => [
  ...['create', 'service', 'loadbalancer', name, '--tcp=80:8080'],
  ...['--namespace', NAMESPACE, '--dry-run=server', ...flags],
];

/** Kills the webhook, and starts the webhook again for the later steps. */
export const webhookOutage: DemoStep = {
  title: 'Safety rules hold while the webhook is down',
  about:
    'The webhook is killed. A ValidatingAdmissionPolicy still denies the reuse of the load balancer of the API server. Everything else is ' +
    'admitted, because a cluster must work without the webhook.',
  run: async (demo) => {
    const { kubectl } = demo;
    await demo.killWebhook();
    demo.narrator.command('kill -KILL <webhook>');
    const { code, stderr } = await kubectl.show('apply', '-f', sample('reuse-api-server'));
    const isDenied = code !== 0 && stderr.includes('ValidatingAdmissionPolicy');
    expect(demo, isDenied, 'reuse-api-server is denied', stderr || 'the Service was accepted');
    const plain = await kubectl.show(...service('plain'));
    expect(demo, plain.code === 0, 'other Services are accepted', plain.stderr);
    await demo.startWebhook();
    demo.narrator.command('portcullis webhook …');
    await silentlyUntil(demo, 'the webhook denies again', 30_000, async () => {
      const output = await kubectl.quiet('apply', '--dry-run=server', '-f', sample('limits'));
      return output.code !== 0 ? { seen: true } : { not: 'the Service was accepted, so the webhook was not called' };
    });
    demo.narrator.confirm('the webhook denies again');
  },
};
