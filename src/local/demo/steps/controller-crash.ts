import { drawLoadBalancer } from '../cloud-state-text.ts';
import { addressOf, loadBalancerAt, sample } from '../service-lookup.ts';
import { expect, until, type DemoStep, type Demo } from '../demo-step.ts';

/** The ids of the load balancers before the step. */
type Known = ReadonlySet<string>;

const createdCount = async ({ cloud }: Demo, known: Known): Promise<number> =>
  (await cloud.loadBalancers()).filter(({ id }) => !known.has(id)).length;

/** Creates a Service, kills the controller during the creation, and starts another controller process. */
async function interruptCreation(demo: Demo): Promise<Known> {
  const { kubectl, cloud } = demo;
  const known = new Set((await cloud.loadBalancers()).map(({ id }) => id));
  const before = await cloud.lastCall();
  await cloud.arm({ action: 'CreateVServerGroup', effect: 'timeout-before-commit' });
  await kubectl.show('apply', '-f', sample('second'));
  await until(demo, 'the creation is in progress', 20_000, async () => {
    const actions = (await cloud.calls(before)).map(({ action }) => action);
    return actions.includes('CreateVServerGroup') ? { seen: actions } : { not: actions.join(', ') };
  });
  await demo.killController();
  demo.narrator.command('kill -KILL <controller>');
  const count = await createdCount(demo, known);
  expect(demo, count === 1, 'one incomplete load balancer exists', `${count}`);
  await demo.startController();
  demo.narrator.command('portcullis controller …');
  return known;
}

/** Returns the two steps of an interrupted creation. Other steps may run in between, while the Lease of the killed process expires. */
export function controllerCrash(): Readonly<Record<'kill' | 'completed', DemoStep>> {
  let known: Known = new Set();
  return {
    kill: {
      title: 'The controller is killed during a creation',
      about:
        'A good Service is created, and the simulator delays its server group. While the controller waits, its process is killed (SIGKILL). ' +
        'Another process starts, and waits until the Lease expires. Meanwhile, the webhook continues its work.',
      run: async (demo) => {
        known = await interruptCreation(demo);
      },
    },
    completed: {
      title: 'The other controller process completes the creation',
      about:
        'Once the Lease of the killed process has expired and its last call has ended, the other process leads, finds the incomplete load ' +
        'balancer, and completes it.',
      run: async (demo) => {
        const address = await addressOf(demo, 'second');
        demo.narrator.output(drawLoadBalancer(await loadBalancerAt(demo, address)));
        const count = await createdCount(demo, known);
        expect(demo, count === 1, 'there is one load balancer, not two', `${count}`);
      },
    },
  };
}
