import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { aReview } from '../support/review.ts';
import { buildLoad, type Load } from './load-client.ts';
import { RICH } from './rich-service.ts';
import { startWebhook, context, type Serving } from './serving.ts';

const STARTS = 3;
const SECONDS = 8;
const RATE = 1_000;
const WATCH_MS = 250;
const MB = 1e6;

export interface WebhookCosts {
  /** Milliseconds from the start of the process until ready with full caches. The minimum of several starts. */
  readonly startMs: number;
  /** The peak memory with full caches under 1,000 reviews per second, in MB. */
  readonly residentMb: number;
}

async function residentMb(probes: string): Promise<number> {
  const { body } = await request(`${probes}/metrics`);
  const [, bytes = 'NaN'] = /^process_resident_memory_bytes (\S+)/m.exec(await body.text()) ?? [];
  return Number(bytes) / MB;
}

/** Returns the peak memory while reviews arrive at a steady rate. */
async function residentUnder(load: Load, { url, probes }: Serving): Promise<number> {
  const body = JSON.stringify(aReview({ object: RICH }));
  let isRunning = true;
  const watch = async (): Promise<number> => {
    let most = 0;
    while (isRunning) {
      most = Math.max(most, await residentMb(probes));
      await delay(WATCH_MS);
    }
    return most;
  };
  const answered = load.run({ url, body, seconds: SECONDS, rate: RATE, contains: '"allowed":true' }).finally(() => {
    isRunning = false;
  });
  const [most] = await Promise.all([watch(), answered]);
  return most;
}

/** Measures the shipped webhook with the caches and the load of a large cluster. The benchmark `webhook` of run.ts calls it. */
export async function webhookCosts(): Promise<WebhookCosts> {
  using place = await context();
  using load = await buildLoad();
  const starts: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    await using running = await startWebhook(place.flags);
    starts.push(running.startMs);
  }
  await using running = await startWebhook(place.flags);
  return { startMs: Math.min(...starts), residentMb: await residentUnder(load, running) };
}
