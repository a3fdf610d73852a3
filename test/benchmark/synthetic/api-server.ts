import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { objectKey, type KubernetesObject, type ObjectKey } from '../../../src/base/kubernetes-objects.ts';
import { mergePatch, type Json } from '../../support/merge-patch.ts';
import { storedCollection, type Collection } from './collection.ts';

/** The target of a request. */
interface Target {
  readonly plural: string;
  /** Undefined for a whole collection. */
  readonly key?: ObjectKey;
}

/** A changing request. */
export interface SyntheticWrite {
  readonly verb: string;
  readonly plural: string;
  readonly key: string;
  readonly body: string;
}

/** Bytes written to a connection at a time. */
const CHUNK = 1 << 18;
/** The maximum number of bytes of a character. */
const MOST_BYTES = 3;
const BOOKMARK_MS = 30_000;

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

function targetOf(pathname: string): Target {
  const parts = pathname.split('/').filter((part) => part !== '');
  const inGroup = parts.slice(parts[0] === 'api' ? 2 : 3);
  const isNamespaced = inGroup[0] === 'namespaces' && inGroup.length > 2;
  const [plural = '', name] = isNamespaced ? inGroup.slice(2) : inGroup;
  return name === undefined ? { plural } : { plural, key: objectKey(name, isNamespaced ? inGroup[1] : undefined) };
}

/** A cheap API server without validation, authentication and selectors, for a benchmark. A watch sends no events from before its start. */
export class SyntheticApiServer {
  readonly writes: SyntheticWrite[] = [];
  readonly #collections: Map<string, Collection>;
  readonly #watches = new Map<string, Set<ServerResponse>>();
  readonly #deniesStreams: boolean;
  #version = 1_000_000;

  constructor(collections: Readonly<Record<string, Collection>>, { deniesStreams = false } = {}) {
    this.#collections = new Map(Object.entries(collections));
    this.#deniesStreams = deniesStreams;
  }

  /** Creates the server without listening. */
  server(): Server {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    const timer = setInterval(() => this.#bookmarks(), BOOKMARK_MS);
    server.on('close', () => clearInterval(timer));
    return server;
  }

  /** Stores an object with a new version, and sends the object to the watches. */
  put<Kind extends KubernetesObject>(plural: string, object: Kind, type = 'MODIFIED'): Kind {
    const metadata = { ...object.metadata, resourceVersion: String(this.next()) };
    const stored = { ...object, metadata };
    this.#collection(plural).put(stored);
    this.emit(plural, JSON.stringify(stored), type);
    return stored;
  }

  /** Returns the version of the next change. */
  next(): number {
    return (this.#version += 1);
  }

  /** Sends an object to the watches without storing it. */
  emit(plural: string, text: string, type = 'MODIFIED'): void {
    this.#send(plural, `{"type":"${type}","object":${text}}\n`);
  }

  #collection(plural: string): Collection {
    const collection = this.#collections.get(plural) ?? storedCollection();
    this.#collections.set(plural, collection);
    return collection;
  }

  #send(plural: string, line: string): void {
    for (const response of this.#watches.get(plural) ?? []) response.write(line);
  }

  #bookmarks(): void {
    for (const plural of this.#watches.keys()) this.#send(plural, bookmark(this.#version));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const target = targetOf(pathname);
    const body = await bodyOf(request);
    if (request.method !== 'GET') this.#write(request.method ?? '', target, body, response);
    else if (target.key !== undefined) send(response, this.#collection(target.plural).get(target.key));
    else if (searchParams.get('watch') === null) this.#page(target.plural, searchParams, response);
    else await this.#watch(target.plural, searchParams, response);
  }

  #write(verb: string, { plural, key = objectKey('') }: Target, body: string, response: ServerResponse): void {
    this.writes.push({ verb, plural, key, body });
    const before = this.#collection(plural).get(key);
    if (verb === 'DELETE') {
      this.#collection(plural).remove(key);
      if (before !== undefined) this.emit(plural, before, 'DELETED');
      send(response, before ?? '{}');
      return;
    }
    if (verb === 'PATCH' && before === undefined) {
      send(response, undefined);
      return;
    }
    const parsed = JSON.parse(body) as Json;
    const after = verb === 'PATCH' ? mergePatch(jsonOf(JSON.parse(before ?? '{}')), parsed) : parsed;
    const object = after as unknown as KubernetesObject;
    const uid = object.metadata.uid as string | undefined;
    const whole = { ...object, metadata: { ...object.metadata, uid: uid ?? `made-${this.#version}` } };
    send(response, JSON.stringify(this.put(plural, whole, before === undefined ? 'ADDED' : 'MODIFIED')));
  }

  #page(plural: string, query: URLSearchParams, response: ServerResponse): void {
    const from = Number(query.get('continue') ?? 0);
    const to = from + Number(query.get('limit') ?? Infinity);
    const items: string[] = [];
    let at = 0;
    for (const text of this.#collection(plural).texts()) {
      if (at >= from && at < to) items.push(text);
      at += 1;
    }
    const more = to < at ? { continue: String(to) } : {};
    const metadata = JSON.stringify({ resourceVersion: String(this.#version), ...more });
    send(response, `{"metadata":${metadata},"items":[${items.join(',')}]}`);
  }

  async #watch(plural: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const isStream = query.get('sendInitialEvents') !== null;
    if (isStream && this.#deniesStreams) {
      response.writeHead(422).end('{}');
      return;
    }
    response.flushHeaders();
    if (isStream) await this.#initialEvents(plural, response);
    const watches = this.#watches.get(plural) ?? new Set();
    this.#watches.set(plural, watches.add(response));
    response.on('close', () => watches.delete(response));
  }

  async #initialEvents(plural: string, response: ServerResponse): Promise<void> {
    let chunk = Buffer.allocUnsafe(CHUNK);
    let length = 0;
    for (const text of this.#collection(plural).texts()) {
      const line = `{"type":"ADDED","object":${text}}\n`;
      if (length + MOST_BYTES * line.length > chunk.length) {
        if (!response.write(chunk.subarray(0, length))) await once(response, 'drain');
        chunk = Buffer.allocUnsafe(Math.max(CHUNK, MOST_BYTES * line.length));
        length = 0;
      }
      length += chunk.write(line, length);
    }
    response.write(chunk.subarray(0, length));
    response.write(bookmark(this.#version, { 'k8s.io/initial-events-end': 'true' }));
  }
}

const bookmark = (version: number, annotations: Readonly<Record<string, string>> = {}): string =>
  `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version), annotations } } })}\n`;

function send(response: ServerResponse, text: string | undefined): void {
  const missing = '{"kind":"Status","status":"Failure","reason":"NotFound","code":404,"message":"not found"}';
  response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text ?? missing);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
