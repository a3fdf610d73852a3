import type { Clock } from '../base/clock.ts';
import { hasReason, PortcullisError } from '../base/errors.ts';
import { errorBody } from '../base/field-error.ts';
import { candidateOf } from '../lint/candidate.ts';
import type { Cluster } from '../lint/cluster/cluster-reads.ts';
import { clusterFacts, noFacts, type FileFacts } from '../lint/inventory-facts.ts';
import { readManifests, withoutFile, type Manifest } from '../lint/manifest.ts';
import {
  labelsAmong,
  namespacesIn,
  NO_POLICIES,
  policiesAmong,
  mergePolicies,
  requirePolicies,
  type NamespaceLabels,
  type Policies,
} from '../lint/policy/read-policies.ts';
import { readSource, readSources } from '../lint/read-sources.ts';
import type { Source } from '../lint/source.ts';
import { inCluster } from '../lint/lint-inputs.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import type { ImpactInputs } from './impact.ts';

/** The flags of `policy impact` that name the source of Services. */
export interface ImpactFlags {
  /** A file with Services and namespaces, which replaces the cluster. */
  readonly services?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

type Kinded = { readonly kind: string };

/** Reads the inputs of `policy impact` from files or from a cluster. Rejects with `InvalidConfiguration` and a readable message. */
export async function gatherImpact(paths: readonly string[], flags: ImpactFlags, clock: Clock): Promise<ImpactInputs> {
  const files = await readSources(paths, false);
  const tried = requirePolicies(files);
  const own = namespacesIn(files);
  if (flags.services !== undefined) return { ...fromFile(tried, await readSource(flags.services), own), clock };
  return inCluster(flags, async (cluster) => ({ ...(await fromCluster(tried, cluster, own, clock)), clock }));
}

type Gathered = Omit<ImpactInputs, 'clock'>;

const WANTED: ReadonlySet<string> = new Set(['Service', 'Namespace']);
const isWanted = (apiVersion: string, kind: string): boolean => apiVersion === 'v1' && WANTED.has(kind);

/** Reads the manifests of a file, which may be large. Parses JSON without the YAML parser, which is 100 times slower. */
function manifestsIn({ name, text }: Source): readonly Manifest[] {
  const items = itemsOf(text);
  if (items !== undefined) return items.map(withoutFile);
  const { manifests, unreadable } = readManifests(text, isWanted);
  const [broken] = unreadable;
  if (broken === undefined) return manifests;
  const { line, column } = broken.range;
  throw new PortcullisError('InvalidConfiguration', `${name}:${line}:${column}: ${broken.what}`);
}

/** Returns the Services and namespaces of a JSON list, such as the output of `kubectl get -o json`. Returns undefined for any other text. */
function itemsOf(text: string): readonly Kinded[] | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const { items } = JSON.parse(text) as { readonly items?: unknown };
    if (!Array.isArray(items)) return undefined;
    const isOne = (item: unknown): item is Kinded => {
      const { apiVersion, kind } = (item ?? {}) as Readonly<Record<string, unknown>>;
      return typeof apiVersion === 'string' && typeof kind === 'string' && isWanted(apiVersion, kind);
    };
    return items.filter(isOne);
  } catch {
    return undefined;
  }
}

/** Returns the Services among manifests. Throws `InvalidConfiguration` if a Service is invalid. */
function servicesAmong(manifests: readonly Manifest[], file: string): readonly Service[] {
  return manifests
    .filter(({ kind }) => kind === 'Service')
    .map((manifest) => {
      const { name, object, findings } = candidateOf(manifest, 'default');
      if (object !== undefined) return object as Service;
      const violation = findings[0]?.violation;
      const field = violation?.field ?? '';
      const { line, column } = manifest.locate(field);
      const body = violation === undefined ? '' : errorBody(violation);
      throw new PortcullisError('InvalidConfiguration', `${file}:${line}:${column}: ${name}: ${field}: ${body}`);
    });
}

function fromFile(tried: Policies, source: Source, own: NamespaceLabels): Gathered {
  const manifests = manifestsIn(source);
  const services = servicesAmong(manifests, source.name);
  if (services.length === 0) {
    const command = 'kubectl get service,namespace -A -o json';
    throw new PortcullisError(
      'InvalidConfiguration',
      `${source.name} contains no Service: create the file with ${command}`,
    );
  }
  const ofNamespaces = manifests.filter(({ kind }) => kind === 'Namespace').map(({ object }) => object);
  const namespaces = new Map([...labelsAmong(ofNamespaces), ...own]);
  return { tried, all: tried, services, namespaces, facts: noFacts(), hasFacts: false };
}

/** Returns the objects of a kind. Returns undefined if the cluster does not serve the kind. */
async function ifThere<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function fromCluster(tried: Policies, cluster: Cluster, own: NamespaceLabels, clock: Clock): Promise<Gathered> {
  const [namespacesAndServices, policies, inventory] = await Promise.all([
    cluster.namespacesAndServices(),
    ifThere(cluster.policies()),
    ifThere(cluster.facts()),
  ]);
  const facts: FileFacts = inventory === undefined ? noFacts() : clusterFacts(inventory, clock);
  const active = policies === undefined ? NO_POLICIES : policiesAmong(policies);
  return {
    tried,
    all: mergePolicies(tried, active),
    services: servicesAmong(namespacesAndServices.map(withoutFile), 'the cluster'),
    namespaces: new Map([...labelsAmong(namespacesAndServices), ...own]),
    facts,
    hasFacts: inventory !== undefined,
  };
}
