import { fieldOf, type Finding } from '../rules/engine/evaluate.ts';
import { violationMessage } from '../rules/engine/message.ts';
import { isManagedService } from '../controller/service/management.ts';
import { PortcullisError } from '../base/errors.ts';
import { asStored } from '../lint/applied-service.ts';
import { candidateOf, namesOf } from '../lint/candidate.ts';
import { withCurrentKeys } from '../lint/current-keys.ts';
import { readManifests } from '../lint/manifest.ts';
import type { Source } from '../lint/source.ts';
import type { LintResult } from '../lint/webhook-evaluation.ts';
import { objectKey, type ObjectKey, type Service, type ServicePort } from '../base/kubernetes-objects.ts';
import type { Cache } from '../kubernetes/cache.ts';

/** The first node port of the API server's default range. */
const FIRST_NODE_PORT = 30_000;

type Spec = NonNullable<Service['spec']>;

/** A Service to plan, from the cluster or from a file. */
export interface PlannedService {
  readonly key: ObjectKey;
  /** The Service as the cluster would store it. Undefined if a field has a wrong type. */
  readonly service?: Service;
  /** The violations that deny a Service of a file. Empty for a stored Service, because `planService` evaluates stored Services. */
  readonly denied: readonly string[];
  /** The node ports that the plan assumes, because the API server has not assigned them yet. */
  readonly assumedPorts: readonly number[];
}

/** A function that evaluates the creation or update of a Service as the webhook does. */
export type Admit = (wanted: Service, stored: Service | undefined) => LintResult;

/** Returns the ports of a Service. Assumes each node port that the API server has not assigned yet. */
function withNodePorts({ allocateLoadBalancerNodePorts, ports = [] }: Spec): readonly ServicePort[] {
  if (allocateLoadBalancerNodePorts === false) return ports;
  const used = nodePortsOf(ports);
  let next = FIRST_NODE_PORT;
  return ports.map((port) => {
    if (port.nodePort !== undefined && port.nodePort !== 0) return port;
    while (used.has(next)) next += 1;
    return { ...port, nodePort: next++ };
  });
}

const nodePortsOf = (ports: readonly ServicePort[] = []): ReadonlySet<number> =>
  new Set(ports.flatMap(({ nodePort }) => nodePort ?? []));

/** Returns a Service with a node port on every port, and the list of assumed node ports. */
function withPorts(service: Service): Pick<PlannedService, 'service' | 'assumedPorts'> {
  const ports = withNodePorts(service.spec ?? {});
  const before = nodePortsOf(service.spec?.ports);
  return {
    service: { ...service, spec: { ...service.spec, ports } },
    assumedPorts: [...nodePortsOf(ports)].filter((port) => !before.has(port)),
  };
}

const currentKeysOf = (stored: Service): Service => ({
  ...stored,
  metadata: { ...stored.metadata, annotations: withCurrentKeys(stored.metadata.annotations ?? {}).values },
});

const isService = (apiVersion: string, kind: string): boolean => apiVersion === 'v1' && kind === 'Service';

/** A Service from a file, with findings about its manifest. */
interface ManifestService {
  readonly key: ObjectKey;
  /** The manifest. Undefined if a field has a wrong type. */
  readonly manifest: Service | undefined;
  readonly findings: readonly Finding[];
}

/** Returns the Services of a file. Throws `InvalidConfiguration` with line and column if the file is not valid YAML. */
function manifestServicesIn({ name: file, text }: Source, namespace: string): readonly ManifestService[] {
  const { manifests, unreadable } = readManifests(text, isService);
  const [broken] = unreadable;
  if (broken !== undefined) {
    const { line, column } = broken.range;
    throw new PortcullisError('InvalidConfiguration', `${file}:${line}:${column}: ${broken.what}`);
  }
  return manifests.map((manifest) => {
    const { object, findings } = candidateOf(manifest, namespace);
    const named = namesOf(manifest, namespace);
    return { key: objectKey(named.name, named.namespace), manifest: object as Service | undefined, findings };
  });
}

const violation = (finding: Finding): string => `${fieldOf(finding)}: ${violationMessage(finding)}`;

/** Returns a message for each safety rule that could not be evaluated, because each of these rules makes the request fail. */
const unevaluatedSafetyRules = ({ outcome }: LintResult): readonly string[] =>
  outcome.unevaluated
    .filter(({ rule }) => rule.tier === 'safety')
    .map(({ rule }) => `rule ${rule.name} cannot be evaluated`);

function plannedFrom(
  { key, manifest, findings }: ManifestService,
  services: Pick<Cache<Service>, 'get'>,
  admit: Admit,
): PlannedService {
  const errors = findings.filter(({ violation }) => violation.advice !== true);
  if (manifest === undefined) return { key, denied: errors.map(violation), assumedPorts: [] };
  const found = services.get(key);
  const stored = found && currentKeysOf(found);
  const verdict = admit(asStored(manifest, stored), stored);
  const denied = [...[...errors, ...verdict.outcome.denials].map(violation), ...unevaluatedSafetyRules(verdict)];
  return { key, ...withPorts(verdict.object), denied };
}

/** Returns a Service with a new resource version, because the cache ignores a changed Service without a new resource version. */
const asWritten = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, resourceVersion: `${service.metadata.resourceVersion}+` },
});

/** Returns the Services of files as the cluster would store them. An admitted Service affects the evaluation of later Services. */
export const servicesIn = (
  sources: readonly Source[],
  namespace: string,
  services: Pick<Cache<Service>, 'get' | 'put'>,
  admit: Admit,
): readonly PlannedService[] =>
  sources
    .flatMap((source) => manifestServicesIn(source, namespace))
    .map((manifestService) => {
      const each = plannedFrom(manifestService, services, admit);
      if (each.service !== undefined && each.denied.length === 0) services.put(asWritten(each.service));
      return each;
    })
    .filter(({ service, denied }) => denied.length > 0 || (service !== undefined && isManagedService(service)));
