import { objectKey, type Namespace } from '../../src/objects.ts';
import type {
  Condition,
  LoadBalancerException,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
} from '../../src/policy/resource.ts';
import { aPolicy } from './policy.ts';
import { events, loadBalancers, running, type Running } from './running.ts';
import { aService } from './service.ts';
import { watchedDouble } from './watched.ts';

export const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };
export const requiring = (...require: readonly Condition[]): LoadBalancerPolicySpec => ({
  constraints: [{ name: 'c', require }],
});

export interface Ruled {
  readonly run: Running;
  /** Puts a policy into the place of the one that was in force. */
  readonly enforce: (spec: LoadBalancerPolicySpec) => Promise<void>;
  readonly except: (exception: LoadBalancerException) => void;
  readonly lift: () => Promise<void>;
  readonly setLabels: (namespace: string, labels: Readonly<Record<string, string>>) => Promise<void>;
  /** Whether the first list of policies has come. */
  readonly setRead: (isRead: boolean) => void;
}

/** A controller that follows policies; the one that is given is in force from the start. */
export async function ruled(spec?: LoadBalancerPolicySpec, seed?: object): Promise<Ruled> {
  let generation = 1;
  const next = (said: LoadBalancerPolicySpec): LoadBalancerPolicy => {
    const policy = aPolicy('p', said);
    return { ...policy, metadata: { ...policy.metadata, generation: generation++ } };
  };
  const policies = watchedDouble<LoadBalancerPolicy>(spec === undefined ? [] : [next(spec)]);
  const exceptions = watchedDouble<LoadBalancerException>();
  const namespaces = watchedDouble<Namespace>();
  const run = await running({ policies: { policies, exceptions, namespaces } }, seed);
  return {
    run,
    enforce: async (said) => {
      policies.put(next(said));
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
  };
}

export const ports = (...numbers: readonly number[]) => aService({ ports: numbers }).spec?.ports ?? [];
export const portsOf = (run: Running, index = 0): readonly number[] =>
  (loadBalancers(run)[index]?.listeners ?? []).map(({ port }) => port).sort((left, right) => left - right);
export const attributesOf = (run: Running, port = 80) =>
  loadBalancers(run)[0]?.listeners.find((listener) => listener.port === port)?.attributes ?? {};
export const complaint = (run: Running): string => events(run, 'SyncLoadBalancerFailed').at(-1) ?? '';
