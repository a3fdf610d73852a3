import { PortcullisError } from '../base/errors.ts';
import type { KubernetesObject } from '../base/objects.ts';

/** An event of a watch. */
export type WatchEvent<Kind extends KubernetesObject> =
  | { readonly kind: 'stored' | 'deleted'; readonly object: Kind }
  /** All changes up to this version were sent. `endsList` is true if the version completes a streaming list. */
  | { readonly kind: 'bookmark'; readonly version: string; readonly endsList: boolean };

/** A line that ends a watch: an ERROR event of the server with its `code`, or an invalid event. */
export class BadWatchEvent extends PortcullisError {
  constructor(message: string, code?: string) {
    super('Unavailable', message, code === undefined ? {} : { code });
  }
}

/** The annotation of the bookmark that ends a streaming list. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The bytes with which the API server starts the events of objects. */
const OF_OBJECTS = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => Buffer.from(`{"type":"${type}","object":`));

/** Returns a filter of raw lines. It skips events of objects whose text does not contain `needle`, without decoding them. */
export function isAbout(needle: string): (line: Buffer) => boolean {
  const bytes = Buffer.from(needle);
  return (line) => line.includes(bytes) || !OF_OBJECTS.some((head) => line.subarray(0, head.length).equals(head));
}

interface Line {
  readonly type?: unknown;
  readonly object?: {
    readonly metadata?: Partial<KubernetesObject['metadata']>;
    readonly code?: unknown;
    readonly message?: unknown;
  };
}

/** Parses a line and trims its object. Throws `BadWatchEvent`. */
export function parseWatchEvent<Kind extends KubernetesObject>(
  line: string,
  trim: (object: Kind) => Kind,
): WatchEvent<Kind> {
  const { type, object } = parse(line);
  const version = object?.metadata?.resourceVersion;
  if (type === 'ERROR')
    throw new BadWatchEvent(`the API server ended the watch: ${String(object?.message)}`, String(object?.code));
  if (version === undefined)
    throw new BadWatchEvent(`the watch sent an event without a version, of type ${JSON.stringify(type)}`);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { kind: 'stored', object: trim(object as Kind) };
    case 'DELETED':
      return { kind: 'deleted', object: trim(object as Kind) };
    case 'BOOKMARK':
      return { kind: 'bookmark', version, endsList: object?.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true' };
    default:
      throw new BadWatchEvent(`the watch sent an event of unknown type ${JSON.stringify(type)}`);
  }
}

function parse(line: string): Line {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new BadWatchEvent(`the watch sent a line that is not an event: ${String(cause)}`);
  }
  throw new BadWatchEvent('the watch sent a line that is not an event');
}
