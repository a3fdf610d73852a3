import { errors } from 'undici';
import { PortcullisError, messageOf } from '../base/errors.ts';
import type { KubernetesObject } from '../base/objects.ts';
import { readListItems } from './list-items.ts';
import { lines } from './lines.ts';
import type { Requests } from './transport.ts';
import { parseWatchEvent, isAbout, type WatchEvent } from './watch-event.ts';

/** The selected objects of a kind, and the part of each object that is kept. */
export interface Scope<Kind extends KubernetesObject> {
  readonly path: string;
  /** `labelSelector` and `fieldSelector`, if any. */
  readonly selectors: Readonly<Record<string, string>>;
  readonly trim: (object: Kind) => Kind;
  /** A text that every relevant object contains; other events are skipped unparsed. If undefined, all events are read. */
  readonly mentions?: string;
}

const PAGE_SIZE = 500;

interface PageMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
}

/**
 * Reads a complete list in pages and returns its version. `receive` gets each object as it arrives, because a page may be large. The request has no
 * version, because a server that may return any version ignores the page size.
 */
export async function listPages<Kind extends KubernetesObject>(
  transport: Requests,
  { path, selectors, trim }: Scope<Kind>,
  receive: (object: Kind) => void,
  signal: AbortSignal,
): Promise<string> {
  for (let next = ''; ;) {
    const query = { ...selectors, limit: String(PAGE_SIZE), ...(next === '' ? {} : { continue: next }) };
    const stream = await transport.stream({ method: 'GET', path, query }, signal);
    const metadata = await readPage(stream, path, (item) => receive(trim(item as Kind)), signal);
    next = metadata.continue ?? '';
    if (next === '') return metadata.resourceVersion;
  }
}

async function readPage(
  stream: AsyncIterable<Buffer>,
  path: string,
  receive: (item: unknown) => void,
  signal: AbortSignal,
): Promise<PageMetadata> {
  try {
    const { metadata } = await readListItems(stream, (item) => receive(JSON.parse(item)));
    return metadata as PageMetadata;
  } catch (cause) {
    signal.throwIfAborted();
    const message =
      cause instanceof SyntaxError
        ? `GET ${path}: the response is not JSON; check that the address belongs to an API server`
        : `the list of ${path} was interrupted: ${messageOf(cause)}`;
    throw new PortcullisError('Unavailable', message, { cause });
  }
}

/** The start of a watch. */
export interface WatchFrom {
  /** With a version, the watch sends the changes after that version. Without a version, it first sends all objects, then changes. */
  readonly version: string | undefined;
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds: number;
}

/**
 * Opens a watch; resolves when the server accepts it. Events arrive in batches. The watch ends when the server ends it or sends
 * nothing for too long. It throws `Unavailable` if the connection breaks.
 */
export async function openWatch<Kind extends KubernetesObject>(
  transport: Requests,
  scope: Scope<Kind>,
  { version, timeoutSeconds }: WatchFrom,
  signal: AbortSignal,
): Promise<AsyncGenerator<readonly WatchEvent<Kind>[]>> {
  const from: Readonly<Record<string, string>> =
    version === undefined
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion: version };
  const query = {
    ...scope.selectors,
    watch: '1',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(timeoutSeconds),
    ...from,
  };
  const stream = await transport.stream({ method: 'GET', path: scope.path, query }, signal);
  return events(stream, scope, signal);
}

async function* events<Kind extends KubernetesObject>(
  stream: AsyncIterable<Buffer>,
  { path, trim, mentions }: Scope<Kind>,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent<Kind>[]> {
  try {
    const isWorthReading = mentions === undefined ? undefined : isAbout(mentions);
    for await (const batch of lines(stream, isWorthReading)) yield* readable(batch, trim);
  } catch (cause) {
    signal.throwIfAborted();
    // Bookmarks may be late: only the next watch shows whether the server is down.
    if (cause instanceof errors.BodyTimeoutError) return;
    if (cause instanceof PortcullisError) throw cause;
    throw new PortcullisError('Unavailable', `the watch of ${path} was interrupted: ${messageOf(cause)}`, { cause });
  }
}

/** Yields the events of a batch. If a line is invalid, yields the events before it, then throws. */
function* readable<Kind extends KubernetesObject>(
  batch: readonly string[],
  trim: (object: Kind) => Kind,
): Generator<readonly WatchEvent<Kind>[]> {
  const events: WatchEvent<Kind>[] = [];
  try {
    for (const line of batch) events.push(parseWatchEvent(line, trim));
  } finally {
    yield events;
  }
}
