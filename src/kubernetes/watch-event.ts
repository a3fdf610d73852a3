import { PortcullisError } from '../base/errors.ts';
import type { KubernetesObject } from '../base/objects.ts';

/** One line of a watch. */
export type WatchEvent<Kind extends KubernetesObject> =
  | { readonly kind: 'stored' | 'deleted'; readonly object: Kind }
  /** Nothing else changed up to this version; `endsList` when a streaming list is complete with it. */
  | { readonly kind: 'bookmark'; readonly version: string; readonly endsList: boolean };

/** A line that ends the use of a watch: the server's ERROR event, whose code is `code`, or something that is no event. */
export class BadWatchEvent extends PortcullisError {
  constructor(message: string, code?: string) {
    super('Unavailable', message, code === undefined ? {} : { code });
  }
}

/** Annotation of the bookmark that ends a streaming list. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** How the API server begins the events of objects. */
const OF_OBJECTS = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => Buffer.from(`{"type":"${type}","object":`));

/** Tells the lines that are to be read from those of objects whose text has nothing of `needle` in it, without making text of them. */
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

/** Reads a line, and keeps of its object what `trim` keeps. Throws `BadWatchEvent`. */
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
    throw new BadWatchEvent(`the watch sent what is not an event: ${String(cause)}`);
  }
  throw new BadWatchEvent('the watch sent what is not an event');
}
