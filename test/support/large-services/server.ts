import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { annotation } from '../running.ts';
import { aService } from '../service.ts';

/** Services in the cluster, each with one annotation near the size limit of the API server. */
export const COUNT = 5_000;
const ANNOTATION_BYTES = 255 * 1_024;

/** Keys of the large annotation, in rotation: read or not, in the catalogue or not. */
const KEYS = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'example.com/notes',
  annotation('name'),
  annotation('additional-resource-tags'),
  annotation('nmae'),
  'service.beta.kubernetes.io/notes',
];

/** Marks the value in the JSON of a Service. */
const PLACEHOLDER = '<value>';
const VALUE = Buffer.alloc(ANNOTATION_BYTES, 'x');

/** Writes one Service as JSON. All Services share one buffer for the value, so that the server needs little memory. */
async function writeService(response: ServerResponse, index: number): Promise<void> {
  const key = KEYS[index % KEYS.length] ?? '';
  const uid = `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const service = aService({ name: `large-${index}`, uid, annotations: { [key]: PLACEHOLDER } });
  const [before = '', after = ''] = JSON.stringify(service).split(PLACEHOLDER);
  response.write(before);
  response.write(VALUE);
  await write(response, after);
}

async function write(response: ServerResponse, text: string): Promise<void> {
  if (!response.write(text)) await once(response, 'drain');
}

/** Sends all Services, then keeps the connection open without events. */
async function streamList(response: ServerResponse, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    response.write('{"type":"ADDED","object":');
    await writeService(response, index);
    response.write('}\n');
  }
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const object = { metadata: { resourceVersion: '9', annotations } };
  await write(response, `${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}

async function page(response: ServerResponse, query: URLSearchParams, count: number): Promise<void> {
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(count, from + Number(query.get('limit')));
  const more = to < count ? { continue: String(to) } : {};
  const metadata = { resourceVersion: '9', ...more };
  await write(response, `{"kind":"List","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`);
  for (let index = from; index < to; index += 1) {
    if (index > from) response.write(',');
    await writeService(response, index);
  }
  response.end(']}');
}

export type ListForm = 'streaming lists' | 'pages';

/** Starts an API server that has large Services and nothing else. */
export async function largeServices(form: ListForm): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const count = pathname === '/api/v1/services' ? COUNT : 0;
    const isStreamingList = query.get('sendInitialEvents') === 'true';
    response.statusCode = isStreamingList && form === 'pages' ? 400 : 200;
    response.setHeader('content-type', 'application/json');
    if (response.statusCode === 400) response.end('{"kind":"Status","code":400,"message":"no streaming lists"}');
    else if (isStreamingList) void streamList(response, count);
    else if (query.has('watch')) response.flushHeaders();
    else void page(response, query, count);
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
