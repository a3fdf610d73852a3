import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createCloud, userAgents, type CloudApis, type CloudParts } from '../../src/alibaba/cloud.ts';
import type { AccessKey, Credentials } from '../../src/alibaba/credentials/credential-types.ts';
import { createEndpoints } from '../../src/alibaba/endpoints.ts';
import { createCloudMetrics } from '../../src/alibaba/metrics.ts';
import { createTransport } from '../../src/alibaba/sdk-transport.ts';
import { systemClock } from '../../src/base/clock.ts';
import { ACCESS_KEY } from './simulator.ts';

/** Returns credentials that a test can change. */
export const credentialsOf = (key: () => AccessKey): Credentials => ({
  current: async () => key(),
  markRejected: () => undefined,
  secrets: () => [key().secret],
});

/** Creates the production adapter for the HTTP server at `host`. Contract tests run it against the simulator and scripted servers. */
export function cloudOverHttp(
  host: string,
  key: () => AccessKey = () => ACCESS_KEY,
  input: Partial<CloudParts> = {},
): CloudApis {
  const environment = { SLB_ENDPOINT: host, VPC_ENDPOINT: host, ECS_ENDPOINT: host, ALICLOUD_CLIENT_SCHEME: 'HTTP' };
  const endpoints = createEndpoints({ regionId: 'cn-hangzhou', network: 'vpc', environment });
  const credentials = credentialsOf(key);
  const agents = userAgents('0.1.0', 'c1');
  const transportAs = (userAgent: string) =>
    createTransport({ endpoints, regionId: 'cn-hangzhou', credentials, userAgent });
  return createCloud({
    regionId: 'cn-hangzhou',
    transport: transportAs(agents.controllers),
    inventoryTransport: transportAs(agents.inventory),
    guard: () => true,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    metrics: createCloudMetrics(new Registry()),
    secrets: () => credentials.secrets(),
    ...input,
  });
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HttpScript extends AsyncDisposable {
  readonly host: string;
  readonly seen: SeenRequest[];
}

/** Starts an HTTP server that records requests and sends the answers of a test. */
export async function httpScript(
  answer: (response: ServerResponse, request: SeenRequest) => void,
): Promise<HttpScript> {
  const seen: SeenRequest[] = [];
  const receive = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of message) body += String(chunk);
    const [path = '', query = ''] = (message.url ?? '').split('?');
    const request = { method: message.method ?? '', path, query, headers: message.headers, body };
    seen.push(request);
    answer(response, request);
  };
  const server = createServer((message, response) => {
    receive(message, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json;charset=utf-8' });
  response.end(JSON.stringify(body));
}
