import { addressOf, sample } from '../objects.ts';
import { expect, until, type DemoStep, type Demo } from '../demo.ts';

/** The samples that reuse a load balancer without permission, each with a pattern of the denial. */
const DENIED = [
  { name: 'reuse-api-server', reason: /API server/ },
  { name: 'reuse-other-cluster', reason: /another cluster/i },
  { name: 'reuse-other-group', reason: /resource group/i },
  { name: 'reuse-taken-port', reason: /reuse-shared/ },
] as const;

async function denied(demo: Demo, name: string, reason: RegExp): Promise<void> {
  const { code, stderr } = await demo.kubectl.show('apply', '-f', sample(name));
  expect(
    demo,
    code !== 0 && reason.test(stderr),
    `${name} is denied for ${reason.source}`,
    stderr || 'the Service was accepted',
  );
}

export const reuse: DemoStep = {
  title: 'Reusing a load balancer is checked before anything happens',
  about:
    'The inventory has the load balancers of the region, so the webhook knows their owners without a call to the cloud. ' +
    'A denial does not show names or addresses of other namespaces.',
  run: async (demo) => {
    await until(demo, 'the inventory of the region is complete', 45_000, async () => {
      const { stdout } = await demo.kubectl.quiet(
        'get',
        'cloudinventory',
        'default',
        '-o',
        'jsonpath={.status.observedAt}',
      );
      return stdout === '' ? { not: 'no complete pass yet' } : { seen: stdout };
    });
    await demo.kubectl.show('get', 'clb');
    const shared = await demo.kubectl.show('apply', '-f', sample('reuse-shared'));
    expect(demo, shared.code === 0, 'a user-managed load balancer can be reused', shared.stderr);
    await addressOf(demo, 'reuse-shared');
    for (const { name, reason } of DENIED) await denied(demo, name, reason);
  },
};
