import { addressOf, sample } from '../objects.ts';
import { expect, until, type DemoStep, type Demo } from '../demo.ts';

/** The load balancers that a Service must not reuse, with a pattern of each denial. */
const REFUSED = [
  { name: 'reuse-api-server', reason: /API server/ },
  { name: 'reuse-other-cluster', reason: /another cluster/i },
  { name: 'reuse-other-group', reason: /resource group/i },
  { name: 'reuse-taken-port', reason: /reuse-shared/ },
] as const;

async function denied(tour: Demo, name: string, reason: RegExp): Promise<void> {
  const { code, stderr } = await tour.kubectl.show('apply', '-f', sample(name));
  expect(
    tour,
    code !== 0 && reason.test(stderr),
    `${name} is denied for ${reason.source}`,
    stderr || 'it was accepted',
  );
}

export const reuse: DemoStep = {
  title: 'Reusing a load balancer is checked before anything happens',
  about:
    'The controller mirrors the load balancers of the region, so the webhook knows whose they are without asking the cloud. ' +
    'What belongs to others says no more than why it cannot be used.',
  run: async (tour) => {
    await until(tour, 'the mirror of the region is complete', 45_000, async () => {
      const { stdout } = await tour.kubectl.quiet(
        'get',
        'cloudinventory',
        'default',
        '-o',
        'jsonpath={.status.observedAt}',
      );
      return stdout === '' ? { not: 'no complete pass yet' } : { seen: stdout };
    });
    await tour.kubectl.show('get', 'clb');
    const shared = await tour.kubectl.show('apply', '-f', sample('reuse-shared'));
    expect(tour, shared.code === 0, 'a load balancer that nobody manages can be reused', shared.stderr);
    await addressOf(tour, 'reuse-shared');
    for (const { name, reason } of REFUSED) await denied(tour, name, reason);
  },
};
