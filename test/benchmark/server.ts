import { aReview } from '../support/review.ts';
import { buildLoad, type Load, type LoadReport } from './load-client.ts';
import { median } from './figure.ts';
import { RICH } from './rich-service.ts';
import { startConstant, startWebhook, context, type Serving } from './serving.ts';

const SERVER_CORE = 0;
const CLIENT_CORE = 1;
const ROUNDS = 5;
const SECONDS = 3;
const RATE = 1_000;

const BODY = JSON.stringify(aReview({ object: RICH }));

/** The maximum rate of a server, and its latency at 1,000 reviews per second. Medians of several rounds. */
interface Costs {
  readonly perSecond: number;
  readonly p99Ms: number;
}

export interface ServerCosts {
  readonly webhook: Costs;
  /** The costs of the same process with a constant answer. */
  readonly constant: Costs;
  /** Maximum usage of the client's core, from 0 to 1. Near 1, the client is the bottleneck, and the result is useless. */
  readonly clientBusy: number;
}

const busy = ({ cpuSeconds, seconds }: LoadReport): number => cpuSeconds / seconds;

/** Measures the webhook and the constant webhook in turn, so that disturbances affect both equally. The benchmark `server` of run.ts calls it. */
export async function serverCosts(): Promise<ServerCosts> {
  using place = await context();
  using load = await buildLoad();
  await using webhook = await startWebhook(place.flags, SERVER_CORE);
  await using constant = await startConstant(place.flags, SERVER_CORE);
  const most: LoadReport[][] = [[], []];
  const paced: LoadReport[][] = [[], []];
  const both = [webhook, constant];
  for (const serving of both) await ask(load, serving);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, serving] of both.entries()) most[index]?.push(await ask(load, serving));
    for (const [index, serving] of both.entries()) paced[index]?.push(await ask(load, serving, RATE));
  }
  const costs = (index: number): Costs => ({
    perSecond: median((most[index] ?? []).map(({ answered, seconds }) => answered / seconds)),
    p99Ms: median((paced[index] ?? []).map(({ p99Ms }) => p99Ms)),
  });
  return { webhook: costs(0), constant: costs(1), clientBusy: Math.max(...most.flat().map(busy)) };
}

const ask = (load: Load, { url }: Serving, rate = 0): Promise<LoadReport> =>
  load.run({ url, body: BODY, seconds: SECONDS, rate, contains: '"allowed":true', core: CLIENT_CORE });
