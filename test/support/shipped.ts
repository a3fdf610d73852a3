import { manifestsOf } from './manifests.ts';

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          {
            readonly env: readonly { readonly name: string; readonly value: string }[];
            readonly resources: { readonly limits: { readonly memory: string } };
          },
        ];
      };
    };
  };
}

/** Returns the environment variables and the memory limit in the shipped Deployment of the webhook, for tests of its memory. */
export function shippedMemory(): {
  readonly environment: Readonly<Record<string, string>>;
  readonly limitBytes: number;
} {
  const [deployment] = manifestsOf('manifests/webhook/deployment.yaml');
  const [{ env, resources }] = (deployment as unknown as Deployment).spec.template.spec.containers;
  return {
    environment: Object.fromEntries(env.map(({ name, value }) => [name, value])),
    limitBytes: Number.parseInt(resources.limits.memory, 10) * 1024 * 1024,
  };
}
