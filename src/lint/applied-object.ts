import { withCurrentKeys, type Texts } from './current-keys.ts';

/** The fields of a Service or a Node that rules read. */
export interface Applicable {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly annotations?: Texts;
    readonly labels?: Texts;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: Fields;
  readonly status?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** The annotation in which `kubectl apply` stores the manifest. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Returns the manifest of the last `kubectl apply`, or an empty object if it is missing or unreadable. */
function lastApplied(annotations: Texts): Partial<Applicable> {
  try {
    const last = JSON.parse(annotations[LAST_APPLIED] ?? '') as unknown;
    return typeof last === 'object' && last !== null ? last : {};
  } catch {
    return {};
  }
}

/** Merges maps like `kubectl apply`. Removes a stored key only if the last applied manifest had the key and the new manifest does not. */
function merged<Map extends Fields>(stored: Map | undefined, last: Fields | undefined, manifest: Map | undefined): Map {
  const survives = ([key]: readonly [string, unknown]): boolean => last === undefined || !Object.hasOwn(last, key);
  return { ...Object.fromEntries(Object.entries(stored ?? {}).filter(survives)), ...manifest } as Map;
}

interface Port {
  readonly port?: unknown;
  readonly protocol?: unknown;
  readonly nodePort?: unknown;
}
const isSamePort = (left: Port, right: Port): boolean =>
  left.port === right.port && (left.protocol ?? 'TCP') === (right.protocol ?? 'TCP');

/** Returns the ports of the manifest. A port without a node port gets the stored node port, which the API server assigned. */
function portsOver(stored: unknown, manifest: unknown): unknown {
  if (!Array.isArray(stored) || !Array.isArray(manifest)) return manifest ?? stored;
  const known = stored as readonly Port[];
  return (manifest as readonly Port[]).map((port) => {
    const nodePort = known.find((other) => isSamePort(other, port))?.nodePort;
    return nodePort === undefined ? port : { nodePort, ...port };
  });
}

/** Returns the object that `kubectl apply` stores. The annotations of both arguments must have only current keys. */
export function appliedOver<Kind extends Applicable>(stored: Kind, manifest: Kind): Kind {
  const last = lastApplied(stored.metadata.annotations ?? {});
  const lastAnnotations = withCurrentKeys(last.metadata?.annotations ?? {}).values;
  const spec = merged(stored.spec, last.spec, manifest.spec);
  return {
    ...stored,
    ...manifest,
    metadata: {
      ...stored.metadata,
      ...manifest.metadata,
      annotations: merged(stored.metadata.annotations, lastAnnotations, manifest.metadata.annotations),
      labels: merged(stored.metadata.labels, last.metadata?.labels, manifest.metadata.labels),
    },
    spec: { ...spec, ports: portsOver(stored.spec?.['ports'], manifest.spec?.['ports']) },
    // Only the cluster writes the status.
    status: stored.status,
  };
}
