import { systemClock } from '../base/clock.ts';
import { messageOf, PortcullisError } from '../base/errors.ts';
import { isEvaluatedKind, namesOf } from './candidate.ts';
import type { Cluster, ObjectName } from './cluster/cluster-reads.ts';
import { clusterFacts, fileFacts } from './inventory-facts.ts';
import type { LintOptions } from './lint.ts';
import { readManifests } from './manifest.ts';
import { readSource, readSources } from './read-sources.ts';
import type { Source } from './source.ts';
import {
  labelsAmong,
  namespacesIn,
  NO_POLICIES,
  policiesAmong,
  mergePolicies,
  requirePolicies,
} from './policy/read-policies.ts';
import { isService, storedIn, storedInCluster } from './stored-objects.ts';

/** The value of a flag that names the cluster instead of a file. */
const CLUSTER = 'cluster';

/** The command line flags about the cluster to which the manifests will be applied. */
export interface LintContextFlags {
  readonly facts?: string;
  readonly against?: string;
  /** Files, folders, `-` or `cluster`. */
  readonly policy?: readonly string[];
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Returns whether the flags require access to a cluster. */
export const needsCluster = ({ facts, against, policy = [] }: LintContextFlags): boolean =>
  facts === CLUSTER || against === CLUSTER || policy.includes(CLUSTER);

/** Reads what the flags request, before `lint` evaluates manifests: inventory, stored objects and policies. Rejects with `InvalidConfiguration`. */
export const lintContextOf = (flags: LintContextFlags, sources: readonly Source[]): Promise<LintOptions> =>
  needsCluster(flags) ? inCluster(flags, (cluster) => gather(flags, sources, cluster)) : gather(flags, sources);

/** Opens the cluster that the flags name, and runs a task with it. Rejects with `InvalidConfiguration` if the cluster cannot be read. */
export async function inCluster<Result>(
  flags: Pick<LintContextFlags, 'kubeconfig' | 'context'>,
  task: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  try {
    await using cluster = await clusterOf(flags);
    return await task(cluster);
  } catch (error) {
    if (!(error instanceof PortcullisError)) throw error;
    const { reason } = error;
    if (reason === 'InvalidConfiguration' || reason === 'Bug') throw error;
    throw new PortcullisError('InvalidConfiguration', `failed to read the cluster: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Loads the code that reads a cluster, in a separate function, because the compiler does not transform an import() next to `using`. */
async function clusterOf(flags: Pick<LintContextFlags, 'kubeconfig' | 'context'>): Promise<Cluster> {
  const { openCluster } = await import('./cluster/cluster-reads.ts');
  return openCluster({ ...flags, environment: process.env, clock: systemClock });
}

async function gather(flags: LintContextFlags, sources: readonly Source[], cluster?: Cluster): Promise<LintOptions> {
  const namespace = flags.namespace ?? cluster?.namespace ?? 'default';
  const facts = await factsOf(flags, cluster);
  const stored = await storedOf(flags, namespace, sources, cluster);
  const policies = await policiesOf(flags, sources, stored, cluster);
  return {
    namespace,
    ...(facts === undefined ? {} : { facts }),
    ...(stored === undefined ? {} : { stored }),
    ...(policies === undefined ? {} : { policies }),
  };
}

async function policiesOf(
  { policy: paths = [] }: LintContextFlags,
  sources: readonly Source[],
  stored: LintOptions['stored'],
  cluster: Cluster | undefined,
): Promise<LintOptions['policies']> {
  if (paths.length === 0) return undefined;
  const isFile = (path: string): boolean => path !== CLUSTER || cluster === undefined;
  const files = await readSources(paths.filter(isFile), false);
  const ofFiles = files.length === 0 ? NO_POLICIES : requirePolicies(files);
  const ofCluster = paths.every(isFile) ? NO_POLICIES : policiesAmong((await cluster?.policies()) ?? []);
  const namespacesAndServices = (await cluster?.namespacesAndServices()) ?? [];
  return {
    ...mergePolicies(ofFiles, ofCluster),
    namespaces: new Map([...labelsAmong(namespacesAndServices), ...namespacesIn([...files, ...sources])]),
    services: [...(stored?.values() ?? []), ...storedInCluster(namespacesAndServices).values()].filter(isService),
    clock: systemClock,
  };
}

async function factsOf({ facts }: LintContextFlags, cluster: Cluster | undefined): Promise<LintOptions['facts']> {
  if (facts === undefined) return undefined;
  if (facts === CLUSTER && cluster !== undefined) return clusterFacts(await cluster.facts(), systemClock);
  return fileFacts(await readSource(facts), systemClock);
}

async function storedOf(
  { against }: LintContextFlags,
  namespace: string,
  sources: readonly Source[],
  cluster: Cluster | undefined,
): Promise<LintOptions['stored']> {
  if (against === undefined) return undefined;
  if (against === CLUSTER && cluster !== undefined)
    return storedInCluster(await cluster.stored(namesIn(sources, namespace)));
  return storedIn(await readSource(against), namespace);
}

/** Returns the names of all Services and Nodes in the sources. Parses one source at a time, because a parsed source takes much memory. */
const namesIn = (sources: readonly Source[], namespace: string): readonly ObjectName[] =>
  sources
    .flatMap(({ text }) =>
      readManifests(text, isEvaluatedKind).manifests.map((manifest) => ({
        kind: manifest.kind,
        ...namesOf(manifest, namespace),
      })),
    )
    .filter(({ name }) => name !== '');
