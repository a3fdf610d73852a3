import { manifestsOf } from './manifests.ts';

/** A process with its own Deployment. */
export type Part = 'webhook' | 'controller';

interface Template {
  readonly spec: {
    readonly containers: readonly [
      {
        readonly env: readonly { readonly name: string; readonly value: string }[];
        readonly resources: { readonly limits: { readonly memory: string } };
      },
    ];
  };
}

function containerOf(part: Part): Template['spec']['containers'][0] {
  const [deployment] = manifestsOf(`manifests/${part}/deployment.yaml`);
  const { template } = deployment?.['spec'] as { readonly template: Template };
  return template.spec.containers[0];
}

/** Returns the environment variables in the shipped Deployment of a part. Tests and benchmarks of memory start processes with them. */
export const shippedEnvironment = (part: Part): Readonly<Record<string, string>> =>
  Object.fromEntries(containerOf(part).env.map(({ name, value }) => [name, value]));

/** Returns the memory limit in the shipped Deployment of a part, in MiB. */
export const shippedMemoryMiB = (part: Part): number => Number.parseInt(containerOf(part).resources.limits.memory, 10);
