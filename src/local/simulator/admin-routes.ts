import type { FastifyInstance } from 'fastify';
import { AdminError } from './error.ts';
import type { Simulator } from './simulator.ts';

const ROOT = '/_simulator';

function json(body: unknown): unknown {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AdminError(`body: not JSON (${error instanceof Error ? error.message : ''})`);
  }
}

function sinceOf(query: unknown): number {
  const raw = (query as { readonly since?: string }).since ?? '0';
  if (/^\d{1,15}$/.test(raw)) return Number(raw);
  throw new AdminError(`since: found "${raw.slice(0, 40)}", expected the number of a journal entry`);
}

/** Adds the routes below `/_simulator/`, by which users and tests read and change the simulator. The routes need no signature and return JSON. */
export function adminRoutes(server: FastifyInstance, simulator: Simulator): void {
  server.get(`${ROOT}/state`, async () => simulator.state());
  server.get(`${ROOT}/journal`, async ({ query }) => simulator.journal(sinceOf(query)));
  server.post(`${ROOT}/seed`, async ({ body }) => simulator.seed(json(body)));
  server.post(`${ROOT}/faults`, async ({ body }) => {
    simulator.faults(json(body));
    return {};
  });
  server.delete(`${ROOT}/faults`, async () => {
    simulator.clearFaults();
    return {};
  });
  server.post(`${ROOT}/clock`, async ({ body }) => simulator.setClock(json(body)));
  server.post(`${ROOT}/settings`, async ({ body }) => simulator.changeSettings(json(body)));
  server.post(`${ROOT}/reset`, async () => {
    simulator.reset();
    return {};
  });
}
