import { PortcullisError } from '../base/errors.ts';
import type { KubernetesObject } from '../base/kubernetes-objects.ts';

/** An event of a watch, which a reflector applies to its cache. */
export type WatchEvent<Kind extends KubernetesObject> =
  | { readonly kind: 'stored' | 'deleted'; readonly object: Kind }
  /** The watch has sent all changes up to `version`. `endsList` marks the end of a streaming list. */
  | { readonly kind: 'bookmark'; readonly version: string; readonly endsList: boolean };

/** The error of an invalid event, or of an event `ERROR` of the server with its `code`. The error ends the watch. */
export class BadWatchEvent extends PortcullisError {
  constructor(message: string, code?: string) {
    super('Unavailable', message, code === undefined ? {} : { code });
  }
}

/** The annotation of the bookmark at the end of a streaming list. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The beginnings of events about objects, as the API server writes them. */
const OF_OBJECTS = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => Buffer.from(`{"type":"${type}","object":`));

/** Returns a filter that drops unparsed events about objects if they do not contain the text `needle`, to save parsing. */
export function mustParse(needle: string): (line: Buffer) => boolean {
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

/** Parses a line of a watch and trims the object. Throws `BadWatchEvent`. */
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
