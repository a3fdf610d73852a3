import { NAMESPACE, sample } from '../service-lookup.ts';
import { denied, warned } from '../denied-requests.ts';
import { expect, silentlyUntil, type DemoStep, type Demo } from '../demo-step.ts';

const POLICY = 'no-admin-ports';
const RULE = `policy/${POLICY}/admin`;
const PORT = 'spec.ports[0].port';

/** The arguments of a dry run that creates a Service with the port that the policy forbids. */
const LEGACY = [
  ...['create', 'service', 'loadbalancer', 'legacy', '--tcp=8081:8080'],
  ...['--namespace', NAMESPACE, '--dry-run=server'],
] as const;

/** Repeats the dry run until its result is as expected, because the webhook receives a changed policy with a short delay. */
const untilAnswered = (
  demo: Demo,
  expected: string,
  isExpected: (code: number, output: string) => boolean,
): Promise<true> =>
  silentlyUntil(demo, expected, 20_000, async () => {
    const { code, stderr } = await demo.kubectl.quiet(...LEGACY);
    return isExpected(code, stderr) ? { seen: true } : { not: stderr || 'no output' };
  });

/** Creates a policy that Service good of the step `new-service` violates. Deletes the policy at the end. */
export const policy: DemoStep = {
  title: 'A policy: warn, measure, enforce, except',
  about:
    'A policy forbids a port in one namespace. It warns at first, and its impact is measured. Then it is enforced, and an exception allows one ' +
    'Service until a date.',
  run: async (demo) => {
    const { kubectl } = demo;
    await kubectl.show('apply', '-f', sample('policy'));
    await untilAnswered(demo, 'the webhook evaluates the policy', (_, output) => output.includes(RULE));
    await warned(demo, RULE, ...LEGACY);
    const impact = await demo.portcullis('policy', 'impact', sample('policy'));
    const isListed = impact.code === 0 && /^ {6}good {2}spec\.ports\[1\]\.port: 8081$/m.test(impact.stdout);
    expect(demo, isListed, 'Service good is among the affected Services', impact.stdout + impact.stderr);
    const enforce = JSON.stringify([{ op: 'remove', path: '/spec/constraints/0/mode' }]);
    await kubectl.show('patch', 'lbp', POLICY, '--type=json', '--patch', enforce);
    await untilAnswered(demo, 'the policy is enforced', (code) => code !== 0);
    await denied(demo, { args: LEGACY, fields: [PORT] });
    await kubectl.show('apply', '-f', sample('exception'));
    await untilAnswered(demo, 'the exception is active', (code) => code === 0);
    await warned(demo, 'LoadBalancerException legacy-admin', ...LEGACY);
    await kubectl.quiet('delete', '-f', sample('exception'), '-f', sample('policy'));
  },
};
