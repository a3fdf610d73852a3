import { z } from 'zod';
import { CLOUD_INVENTORIES } from '../../../inventory/custom-resources.ts';
import { attempted, showDenial } from '../denied-requests.ts';
import { addressOf, clusterPath, sample } from '../service-lookup.ts';
import { expect, until, type DemoStep, type Demo } from '../demo-step.ts';

/** The samples that reuse a load balancer without permission, each with a pattern of the denial. */
const DENIED = [
  { name: 'reuse-api-server', reason: /API server/ },
  { name: 'reuse-other-cluster', reason: /another cluster/i },
  { name: 'reuse-other-group', reason: /resource group/i },
  { name: 'reuse-taken-port', reason: /reuse-shared/ },
] as const;

const Inventory = z.object({ status: z.object({ observedAt: z.string() }).optional() }).optional();

const untilComplete = (demo: Demo): Promise<string> =>
  until(demo, 'the inventory of the region is complete', 45_000, async () => {
    const found = Inventory.parse(await demo.api.find(clusterPath(CLOUD_INVENTORIES, 'default')));
    const observedAt = found?.status?.observedAt;
    return observedAt === undefined ? { not: 'no complete pass yet' } : { seen: observedAt };
  });

async function checkDenials(demo: Demo): Promise<void> {
  const requests = DENIED.map((each) => ({ ...each, args: ['apply', '-f', sample(each.name)] }));
  for (const attempt of await attempted(demo, requests)) {
    showDenial(demo, attempt);
    const { name, reason, output } = attempt;
    const holds = output.code !== 0 && reason.test(output.stderr);
    expect(demo, holds, `${name} is denied: ${reason.source}`, output.stderr || 'the Service was accepted');
  }
}

/** Creates Service reuse-shared, whose backends the steps `node-join` and `instance-release` check. */
export const reuse: DemoStep = {
  title: 'Reusing a load balancer is checked before anything happens',
  about:
    'The inventory has the load balancers of the region, so the webhook knows their owners without a call to the cloud. ' +
    'A denial does not show names or addresses of other namespaces.',
  run: async (demo) => {
    await untilComplete(demo);
    await demo.kubectl.show('get', 'clb');
    const shared = await demo.kubectl.show('apply', '-f', sample('reuse-shared'));
    expect(demo, shared.code === 0, 'a user-managed load balancer can be reused', shared.stderr);
    await addressOf(demo, 'reuse-shared');
    await checkDenials(demo);
  },
};
