import { objectKey, type Namespace } from '../../src/base/kubernetes-objects.ts';
import type {
  Condition,
  LoadBalancerException,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
} from '../../src/policy/custom-resources.ts';
import type { ProcessOptions } from './simulated-controller.ts';
import { aPolicy } from './policy.ts';
import { events, loadBalancers, running, type Running } from './running-controller.ts';
import { aService } from './service.ts';
import { watchedDouble } from './watched-cache.ts';

export const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };
export const requiring = (...require: readonly Condition[]): LoadBalancerPolicySpec => ({
  constraints: [{ name: 'c', require }],
});

/** Returns a policy that limits the number of listeners of each namespace. */
export const listenerQuota = (listeners: number): LoadBalancerPolicySpec => ({
  quotas: [{ name: 'q', per: 'namespace', listeners }],
});
/** A second Service of the namespace. */
export const OTHER = { name: 'api', uid: '00000000-0000-4000-8000-000000000002' };

/** A running controller with a policy that tests change. */
export interface Ruled {
  readonly run: Running;
  /** Replaces the active policy. */
  readonly enforce: (spec: LoadBalancerPolicySpec) => Promise<void>;
  readonly except: (exception: LoadBalancerException) => void;
  /** Deletes the policy. */
  readonly lift: () => Promise<void>;
  readonly setLabels: (namespace: string, labels: Readonly<Record<string, string>>) => Promise<void>;
  /** Sets whether the first list of policies has arrived. */
  readonly setRead: (isRead: boolean) => void;
  /** Stops the controller, and returns a new one for the same cluster. */
  readonly restart: () => Promise<Running>;
}

/** Creates a controller that follows policies, with this policy active from the start. */
export async function ruled(
  spec?: LoadBalancerPolicySpec,
  seed?: object,
  processOptions: Pick<ProcessOptions, 'controllers'> = {},
): Promise<Ruled> {
  let generation = 1;
  const next = (newSpec: LoadBalancerPolicySpec): LoadBalancerPolicy => {
    const policy = aPolicy('p', newSpec);
    return { ...policy, metadata: { ...policy.metadata, generation: generation++ } };
  };
  const policies = watchedDouble<LoadBalancerPolicy>(spec === undefined ? [] : [next(spec)]);
  const exceptions = watchedDouble<LoadBalancerException>();
  const namespaces = watchedDouble<Namespace>();
  const options = { ...processOptions, policies: { policies, exceptions, namespaces } };
  const run = await running(options, seed);
  return {
    run,
    enforce: async (newSpec) => {
      policies.put(next(newSpec));
      await run.cluster.quiet();
    },
    except: (exception) => exceptions.put(exception),
    lift: async () => {
      policies.remove(objectKey('p'));
      await run.cluster.quiet();
    },
    setLabels: async (name, labels) => {
      namespaces.put({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1', labels },
      });
      await run.cluster.quiet();
    },
    setRead: (isRead) => policies.setSynced(isRead),
    restart: async () => {
      await run.process.stop();
      const process = run.cluster.start(options);
      await run.cluster.quiet();
      return { cluster: run.cluster, process };
    },
  };
}

export const ports = (...numbers: readonly number[]) => aService({ ports: numbers }).spec?.ports ?? [];
export const portsOf = (run: Running, index = 0): readonly number[] =>
  (loadBalancers(run)[index]?.listeners ?? []).map(({ port }) => port).sort((left, right) => left - right);
export const attributesOf = (run: Running, port = 80) =>
  loadBalancers(run)[0]?.listeners.find((listener) => listener.port === port)?.attributes ?? {};
export const lastFailure = (run: Running): string => events(run, 'SyncLoadBalancerFailed').at(-1) ?? '';
