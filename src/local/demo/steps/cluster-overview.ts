import { z } from 'zod';
import { NAMESPACE, sample } from '../service-lookup.ts';
import { expect, until, type DemoStep } from '../demo-step.ts';

const Deployment = z.object({ status: z.object({ readyReplicas: z.number().optional() }).default({}) });
const WEB = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/web`;

/** The first step in the sandbox. Creates the pods that most Services of later steps select. */
export const sandbox: DemoStep = {
  title: 'A cluster on this machine',
  about:
    'A real etcd, kube-apiserver, kube-controller-manager and kube-scheduler are running, kwok acts as three nodes, cert-manager has issued ' +
    "the webhook's certificate, and a simulator replaces Alibaba Cloud. Portcullis was installed with kubectl apply -k kustomize/overlays/local.",
  run: async (demo) => {
    const { kubectl } = demo;
    await kubectl.show(
      'get',
      'nodes',
      '-o',
      'custom-columns=NAME:.metadata.name,PROVIDER ID:.spec.providerID,PODS:.spec.podCIDR',
    );
    await kubectl.show(
      'get',
      'certificates,validatingwebhookconfigurations,mutatingwebhookconfigurations',
      '-n',
      'portcullis-system',
    );
    await kubectl.show('apply', '-f', sample('workload'));
    await until(demo, 'six pods are ready', 60_000, async () => {
      const { readyReplicas = 0 } = Deployment.parse(await demo.api.find(WEB)).status;
      return readyReplicas === 6 ? { seen: 6 } : { not: `${readyReplicas} ready` };
    });
    const certificate = await kubectl.quiet(
      ...['get', 'certificate', 'portcullis-webhook', '-n', 'portcullis-system'],
      ...['-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'],
    );
    expect(demo, certificate.stdout === 'True', 'the certificate is issued', certificate.stdout || certificate.stderr);
  },
};
