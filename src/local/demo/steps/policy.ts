import { NAMESPACE, sample } from '../objects.ts';
import { denied, warned } from '../denial.ts';
import { expect, silentlyUntil, type DemoStep, type Demo } from '../demo.ts';

const POLICY = 'no-admin-ports';
const RULE = `policy/${POLICY}/admin`;
const PORT = 'spec.ports[0].port';

/** A dry run that creates a Service with a port that the policy forbids. */
const LEGACY = [
  ...['create', 'service', 'loadbalancer', 'legacy', '--tcp=8081:8080'],
  ...['--namespace', NAMESPACE, '--dry-run=server'],
] as const;

/** Waits for the expected answer, because the webhook receives a policy a moment after it is stored. */
const untilSaid = (tour: Demo, expected: string, isSaid: (code: number, said: string) => boolean): Promise<true> =>
  silentlyUntil(tour, expected, 20_000, async () => {
    const { code, stderr } = await tour.kubectl.quiet(...LEGACY);
    return isSaid(code, stderr) ? { seen: true } : { not: stderr || 'nothing was said' };
  });

export const policy: DemoStep = {
  title: 'What the platform team decides: warned of, measured, enforced, excepted',
  about:
    'A policy forbids a port in one namespace. It warns at first; what it would deny is told before it does; then it is enforced, ' +
    'and one Service is let pass until a date.',
  run: async (tour) => {
    const { kubectl } = tour;
    await kubectl.show('apply', '-f', sample('policy'));
    await untilSaid(tour, 'the webhook knows the policy', (_, said) => said.includes(RULE));
    await warned(tour, RULE, ...LEGACY);
    const impact = await tour.portcullis('policy', 'impact', sample('policy'));
    const isTold = impact.code === 0 && /^ {6}good {2}spec\.ports\[1\]\.port: 8081$/m.test(impact.stdout);
    expect(tour, isTold, 'Service good is told to be one that the policy is about', impact.stdout + impact.stderr);
    const enforce = JSON.stringify([{ op: 'remove', path: '/spec/constraints/0/mode' }]);
    await kubectl.show('patch', 'lbp', POLICY, '--type=json', '--patch', enforce);
    await untilSaid(tour, 'the policy is enforced', (code) => code !== 0);
    await denied(tour, [PORT], ...LEGACY);
    await kubectl.show('apply', '-f', sample('exception'));
    await untilSaid(tour, 'the exception is in force', (code) => code === 0);
    await warned(tour, 'LoadBalancerException legacy-admin', ...LEGACY);
    await kubectl.quiet('delete', '-f', sample('exception'), '-f', sample('policy'));
  },
};
