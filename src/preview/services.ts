import { fieldOf, type Finding } from '../../webhook/rules/engine/judge.ts';
import { sentence } from '../../webhook/rules/engine/sentence.ts';
import { isOurs } from '../controller/service/triggers.ts';
import { PortcullisError } from '../errors.ts';
import { asStored } from '../lint/as-stored.ts';
import { candidateOf } from '../lint/candidate.ts';
import { withCurrentKeys } from '../lint/current-keys.ts';
import { readManifests } from '../lint/manifest.ts';
import type { Place } from '../lint/place.ts';
import type { Source } from '../lint/source.ts';
import type { Verdict } from '../lint/verdict.ts';
import { keyOf, type Service, type ServicePort } from '../objects.ts';
import type { Cache } from '../kubernetes/store.ts';

/** Where the API server's node ports begin. */
const FIRST_NODE_PORT = 30_000;

/** A Service as it would be stored, with the violations for which the webhook would deny it. A stored Service has none. */
export interface Applied {
  readonly service: Service;
  readonly denied: readonly string[];
}

/** Evaluates the creation or update of a Service as the webhook does. */
export type Admit = (wanted: Service, stored: Service | undefined) => Verdict;

/** The ports, with node ports in place of those that only the API server can give. */
const withNodePorts = (ports: readonly ServicePort[]): readonly ServicePort[] =>
  ports.map((port, index) => ({ ...port, nodePort: port.nodePort ?? FIRST_NODE_PORT + index }));

const withPorts = (service: Service): Service => ({
  ...service,
  spec: { ...service.spec, ports: withNodePorts(service.spec?.ports ?? []) },
});

const currentKeysOf = (stored: Service): Service => ({
  ...stored,
  metadata: { ...stored.metadata, annotations: withCurrentKeys(stored.metadata.annotations ?? {}).values },
});

const isService = (apiVersion: string, kind: string): boolean => apiVersion === 'v1' && kind === 'Service';

/** A Service of a file, with findings about the manifest itself. */
interface Written {
  readonly manifest: Service;
  readonly findings: readonly Finding[];
}

/** The Services of a file. Throws `InvalidConfiguration`, with the place, for what cannot be read as one. */
function writtenIn(source: Source, namespace: string): readonly Written[] {
  const fail = ({ line, column }: Place, what: string): never => {
    throw new PortcullisError('InvalidConfiguration', `${source.name}:${line}:${column}: ${what}`);
  };
  const { manifests, unreadable } = readManifests(source.text, isService);
  const [broken] = unreadable;
  if (broken !== undefined) fail(broken.place, broken.what);
  return manifests.flatMap((manifest) => {
    const { object, findings, locate } = candidateOf(manifest, namespace);
    const [first] = findings;
    if (object === undefined && first !== undefined)
      fail(locate(first.fault.field), `${first.fault.field}: ${sentence(first)}`);
    return object === undefined ? [] : [{ manifest: object as Service, findings }];
  });
}

const violation = (finding: Finding): string => `${fieldOf(finding)}: ${sentence(finding)}`;

/** Returns the errors of safety rules. Each of them fails the request. */
const undecided = ({ outcome }: Verdict): readonly string[] =>
  outcome.unevaluated
    .filter(({ rule }) => rule.tier === 'safety')
    .map(({ rule }) => `rule ${rule.name} cannot be evaluated`);

function applied({ manifest, findings }: Written, services: Pick<Cache<Service>, 'get'>, admit: Admit): Applied {
  const found = services.get(keyOf(manifest));
  const stored = found && currentKeysOf(found);
  const verdict = admit(asStored(manifest, stored), stored);
  const errors = findings.filter(({ fault }) => fault.advice !== true);
  const denied = [...[...errors, ...verdict.outcome.refusals].map(violation), ...undecided(verdict)];
  return { service: withPorts(verdict.object), denied };
}

/** Returns a Service with a new resource version, so that a cache takes it for a change. */
const asWritten = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, resourceVersion: `${service.metadata.resourceVersion}+` },
});

/**
 * Returns the Services of files as the cluster would store them, in order. An admitted one counts when the next ones are evaluated.
 * Throws `InvalidConfiguration` if a file cannot be read.
 */
export const servicesIn = (
  sources: readonly Source[],
  namespace: string,
  services: Pick<Cache<Service>, 'get' | 'put'>,
  admit: Admit,
): readonly Applied[] =>
  sources
    .flatMap((source) => writtenIn(source, namespace))
    .map((written) => {
      const each = applied(written, services, admit);
      if (each.denied.length === 0) services.put(asWritten(each.service));
      return each;
    })
    .filter(({ service, denied }) => isOurs(service) || denied.length > 0);
