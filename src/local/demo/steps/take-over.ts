import { z } from 'zod';
import { drawLoadBalancer } from '../cloud-state-text.ts';
import {
  EXISTING_LOAD_BALANCER,
  existingCloudSeed,
  existingServiceFields,
  type ExistingService,
} from '../taken-over-service.ts';
import { loadBalancerAt, NAMESPACE, sample, servicePath } from '../service-lookup.ts';
import { expect, StepFailed, type DemoStep, type Demo } from '../demo-step.ts';

const NAME = 'taken-over';
const COLUMNS =
  'custom-columns=ADDRESS:.status.loadBalancer.ingress[*].ip,FINALIZER:.metadata.finalizers[*],HASH:.metadata.labels.service\\.beta\\.kubernetes\\.io/hash';

const Stored = z.object({
  metadata: z.object({ uid: z.string() }),
  spec: z.object({ ports: z.tuple([z.object({ port: z.number(), nodePort: z.number() })]) }),
});

async function createdService(demo: Demo): Promise<ExistingService> {
  const { metadata, spec } = Stored.parse(await demo.api.find(servicePath(NAME)));
  const [port] = spec.ports;
  return { name: NAME, uid: metadata.uid, ...port };
}

/** Imitates the Alibaba Cloud Controller Manager: creates the cloud resources, and writes labels, finalizer and status to the Service. */
async function imitateController(demo: Demo): Promise<void> {
  await demo.cloud.seed(existingCloudSeed(await createdService(demo)));
  const { metadata, status } = existingServiceFields;
  for (const [patch, ...more] of [[{ metadata }], [{ status }, '--subresource=status']] as const) {
    const arguments_ = ['patch', 'service', NAME, '-n', NAMESPACE, '--type=merge', '-p', JSON.stringify(patch)];
    const { code, stderr } = await demo.kubectl.quiet(...arguments_, ...more);
    if (code !== 0) throw new StepFailed('the metadata of the Alibaba Cloud Controller Manager can be added', stderr);
  }
}

/** Stops the controller, creates a Service of another controller, and starts the controller again. */
export const takeOver: DemoStep = {
  title: 'Migrated from the Alibaba Cloud Controller Manager',
  about:
    'The controller is stopped, and a Service of the Alibaba Cloud Controller Manager is set up: load balancer, listener, server ' +
    'group, tags, names, finalizer, labels and address. Then Portcullis starts, and changes nothing.',
  run: async (demo) => {
    const { kubectl, cloud } = demo;
    await demo.stopController();
    demo.narrator.command('kill -TERM <controller>');
    // `kubectl apply` would add an annotation, and the Service would not match the hash in its label.
    await kubectl.show('create', '-f', sample(NAME));
    await imitateController(demo);
    const before = drawLoadBalancer(await loadBalancerAt(demo, EXISTING_LOAD_BALANCER.address));
    demo.narrator.say('The Alibaba Cloud Controller Manager created:');
    demo.narrator.output(before);
    await kubectl.show('get', 'service', NAME, '-n', NAMESPACE, '-o', COLUMNS);
    const last = await cloud.lastCall();
    await demo.startController();
    demo.narrator.command('portcullis controller …');
    const ready = ['--for=condition=LoadBalancerReady', '--timeout=60s'];
    const { code, stderr } = await kubectl.show('wait', `service/${NAME}`, '-n', NAMESPACE, ...ready);
    expect(demo, code === 0, 'the Service is managed', stderr);
    const calls = await cloud.calls(last);
    const writes = calls.filter(({ kind }) => kind === 'write').map(({ action }) => action);
    expect(demo, writes.length === 0, `${calls.length} reading calls, 0 changing calls`, writes.join(', '));
    const after = drawLoadBalancer(await loadBalancerAt(demo, EXISTING_LOAD_BALANCER.address));
    expect(demo, after === before, 'the load balancer is unchanged', after);
  },
};
