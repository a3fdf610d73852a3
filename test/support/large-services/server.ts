import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KINDS, NUMBER, type LargeKind } from './kinds.ts';

/** The number of Services in the cluster. */
export const COUNT = 5_000;

/** Returns a function that returns the text of the Service with an index. The templates of the kind are used in rotation. */
function textsOf(kind: LargeKind): (index: number) => string {
  const templates = KINDS[kind]().map((service) => JSON.stringify(service));
  return (index) => {
    const template = templates[index % templates.length] ?? '';
    return template.replaceAll(NUMBER, String(index).padStart(NUMBER.length, '0'));
  };
}

async function write(response: ServerResponse, text: string): Promise<void> {
  if (!response.write(text)) await once(response, 'drain');
}

/** The objects of a kind, as texts. */
interface Served {
  readonly count: number;
  readonly textOf: (index: number) => string;
}

/** Sends all Services, then keeps the connection open without events. */
async function streamList(response: ServerResponse, { count, textOf }: Served): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await write(response, `{"type":"ADDED","object":${textOf(index)}}\n`);
  }
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const object = { metadata: { resourceVersion: '9', annotations } };
  await write(response, `${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}

async function page(response: ServerResponse, query: URLSearchParams, { count, textOf }: Served): Promise<void> {
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(count, from + Number(query.get('limit')));
  const more = to < count ? { continue: String(to) } : {};
  const metadata = { resourceVersion: '9', ...more };
  await write(response, `{"kind":"List","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`);
  for (let index = from; index < to; index += 1) {
    await write(response, `${index > from ? ',' : ''}${textOf(index)}`);
  }
  response.end(']}');
}

export type ListForm = 'streaming lists' | 'pages';

/** Starts an API server with large Services of one kind and no other objects, for the test of the memory of caches. */
export async function largeServices(
  kind: LargeKind,
  form: ListForm,
): Promise<AsyncDisposable & { readonly url: string }> {
  const textOf = textsOf(kind);
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const served = { count: pathname === '/api/v1/services' ? COUNT : 0, textOf };
    const isStreamingList = query.get('sendInitialEvents') === 'true';
    response.statusCode = isStreamingList && form === 'pages' ? 400 : 200;
    response.setHeader('content-type', 'application/json');
    if (response.statusCode === 400) response.end('{"kind":"Status","code":400,"message":"no streaming lists"}');
    else if (isStreamingList) void streamList(response, served);
    else if (query.has('watch')) response.flushHeaders();
    else void page(response, query, served);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
