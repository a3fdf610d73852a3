import { sentence } from '../../webhook/rules/engine/sentence.ts';
import { isOurs } from '../controller/service/triggers.ts';
import { PortcullisError } from '../errors.ts';
import { appliedOver } from '../lint/applied.ts';
import { withCurrentKeys } from '../lint/current-keys.ts';
import { candidateOf } from '../lint/candidate.ts';
import { readManifests } from '../lint/manifest.ts';
import type { Place } from '../lint/place.ts';
import type { Source } from '../lint/source.ts';
import { keyOf, type Service, type ServicePort } from '../objects.ts';
import type { Store } from '../store.ts';

/** The UID of a Service that is not stored: it has none yet. */
const NO_UID = '00000000-0000-0000-0000-000000000000';
/** Where the API server's node ports begin. */
const FIRST_NODE_PORT = 30_000;

/** The ports, with node ports in place of those that only the API server can give. */
const withNodePorts = (ports: readonly ServicePort[]): readonly ServicePort[] =>
  ports.map((port, index) => ({ ...port, nodePort: port.nodePort ?? FIRST_NODE_PORT + index }));

/** A Service of a file as it would be stored: over the one that is, or as a new one. */
function asStored(manifest: Service, stored: Service | undefined): Service {
  const current = stored && {
    ...stored,
    metadata: { ...stored.metadata, annotations: withCurrentKeys(stored.metadata.annotations ?? {}).values },
  };
  const service = current === undefined ? manifest : appliedOver(current, manifest);
  const { uid = NO_UID, resourceVersion = '0' } = (stored ?? manifest).metadata as Partial<Service['metadata']>;
  return {
    ...service,
    metadata: { ...service.metadata, uid, resourceVersion },
    spec: { ...service.spec, ports: withNodePorts(service.spec?.ports ?? []) },
  };
}

const isService = (apiVersion: string, kind: string): boolean => apiVersion === 'v1' && kind === 'Service';

/** The Services of a file. Throws `InvalidConfiguration`, with the place, for what cannot be read as one. */
function manifestsIn(source: Source, namespace: string): readonly Service[] {
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
    return object === undefined ? [] : [object as Service];
  });
}

/** The Services of files that are ours, as they would be stored. Throws `InvalidConfiguration` for what cannot be read. */
export const servicesIn = (
  sources: readonly Source[],
  namespace: string,
  cluster: Pick<Store<Service>, 'get'>,
): readonly Service[] =>
  sources
    .flatMap((source) => manifestsIn(source, namespace))
    .map((manifest) => asStored(manifest, cluster.get(keyOf(manifest))))
    .filter(isOurs);
