import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WireRequest } from './authenticate.ts';
import type { Reply } from './call-execution.ts';

const pairs = (text: string): (readonly [string, string])[] => [...new URLSearchParams(text)];

/** Returns a request of Fastify in the form that the check of its signature needs: raw body, decoded query and form, and headers. */
export function wireRequest(request: FastifyRequest): WireRequest {
  const [path = '/', ...query] = request.url.split('?');
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    [value].flat().join(','),
  ]);
  return {
    method: request.method,
    path,
    headers: Object.fromEntries(headers),
    query: pairs(query.join('?')),
    form: isForm ? pairs(body.toString('utf8')) : [],
    body,
  };
}

export const send = (reply: FastifyReply, { status, headers, body }: Reply): FastifyReply =>
  reply
    .code(status)
    .headers({ ...headers })
    .send(Buffer.from(body));

/** Cuts the connection. Sends the first half of `sent` before the cut, or nothing if `sent` is undefined. */
export function cut(reply: FastifyReply, sent: string | undefined): void {
  reply.hijack();
  const { socket } = reply.raw;
  if (sent === undefined) {
    socket?.resetAndDestroy();
    return;
  }
  const bytes = Buffer.from(sent);
  reply.raw.writeHead(200, { 'content-type': 'application/json;charset=utf-8', 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => socket?.destroy());
}
