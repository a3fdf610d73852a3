import { errors } from 'undici';
import { PortcullisError, messageOf } from '../base/errors.ts';
import type { KubernetesObject } from '../base/kubernetes-objects.ts';
import { readListItems } from './list-json-splitter.ts';
import { lines } from './watch-lines.ts';
import type { Requests } from './transport.ts';
import { mustParse, parseWatchEvent, type WatchEvent } from './watch-event.ts';

/** The objects that a list or watch selects, and the part of each object that the cache keeps. */
export interface Scope<Kind extends KubernetesObject> {
  readonly path: string;
  /** The query parameters `labelSelector` and `fieldSelector`, if any. */
  readonly selectors: Readonly<Record<string, string>>;
  readonly trim: (object: Kind) => Kind;
  /** A text in every relevant object. Events without the text are not parsed. Undefined means that all events are relevant. */
  readonly mentions?: string;
}

const PAGE_SIZE = 500;

interface PageMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
}

/** Reads a complete list in pages and returns its resource version. */
export async function listPages<Kind extends KubernetesObject>(
  transport: Requests,
  { path, selectors, trim }: Scope<Kind>,
  receive: (object: Kind) => void,
  signal: AbortSignal,
): Promise<string> {
  for (let next = ''; ;) {
    // Without a resource version, the API server respects the page size.
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

/** The point from which a watch starts. */
export interface WatchFrom {
  /** The last known resource version. If undefined, the watch first sends all objects, as a streaming list. */
  readonly version: string | undefined;
  /** The time after which the server ends the watch, in seconds. */
  readonly timeoutSeconds: number;
}

/** Opens a watch, whose events arrive in batches. The events end with `Unavailable` if the connection breaks. */
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
    const isWorthReading = mentions === undefined ? undefined : mustParse(mentions);
    for await (const batch of lines(stream, isWorthReading)) yield* parsedEvents(batch, trim);
  } catch (cause) {
    signal.throwIfAborted();
    // This is no failure, because a silent server may only be late with its bookmarks. The next watch shows whether the server is down.
    if (cause instanceof errors.BodyTimeoutError) return;
    if (cause instanceof PortcullisError) throw cause;
    throw new PortcullisError('Unavailable', `the watch of ${path} was interrupted: ${messageOf(cause)}`, { cause });
  }
}

/** Yields the events of a batch. If a line is invalid, yields the events before the line, then throws. */
function* parsedEvents<Kind extends KubernetesObject>(
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
