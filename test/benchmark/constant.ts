import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/clock.ts';
import { createMetrics } from '../../webhook/metrics.ts';
import type { Answer } from '../../webhook/review.ts';
import { buildServer } from '../../webhook/server.ts';

/** The webhook's server as it is, TLS, limits and the reading of reviews included, with the same answer to all: what deciding costs is the difference. */
const [certFile = '', keyFile = '', port = '', probePort = ''] = process.argv.slice(2);
const ALLOWED: Answer = { allowed: true };

const server = buildServer(
  {
    mutate: () => ALLOWED,
    validate: () => ALLOWED,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    metrics: createMetrics(new Registry()),
    maxInFlight: 100,
  },
  { cert: readFileSync(certFile), key: readFileSync(keyFile) },
);
await server.listen({ host: '127.0.0.1', port: Number(port) });
createServer((_request, response) => response.end('ok')).listen(Number(probePort), '127.0.0.1');
