import { stringify } from 'node:querystring';
import { Agent, request } from 'undici';
import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import type { TestControlPlane } from './control-plane.ts';

/** What came of the writes. */
export interface LoadReport {
  /** Writes answered. */
  readonly answered: number;
  /** Writes sent a second, on average. */
  readonly heldPerSecond: number;
  /** What the API server said to each write that it could not have judged. */
  readonly failures: readonly string[];
  /** Writes that were stored without the webhook having been asked, or without its answer counting. */
  readonly failedOpen: number;
}

/** Dry-run writes at a steady rate. */
export interface Load extends AsyncDisposable {
  /** What came of them so far. */
  report(): LoadReport;
  /** Resolves when that many more have been answered. */
  more(count: number): Promise<void>;
  /** Sends no more, and waits for the answers that are due. */
  stop(): Promise<LoadReport>;
}

export interface LoadOptions {
  readonly perSecond?: number;
  /** No more than these wait for an answer: a machine that is slower is asked less, instead of being drowned. */
  readonly maxInFlight?: number;
}

const PREFIX = 'service.beta.kubernetes.io/alicloud-loadbalancer-';
const TICK_MS = 5;
const POLL_MS = 20;

const body = (annotations: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { generateName: 'load-', annotations },
    spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
  });

/** Must come back with its key rewritten, which only the mutating webhook does. */
const REWRITTEN = body({ [`${PREFIX}name`]: 'load' });
/** Must be denied, which only the validating webhook does. */
const REFUSED = body({ [`${PREFIX}name`]: 'load', [`${PREFIX}address-type`]: 'nowhere' });

type Verdict = 'judged' | 'failed open' | { readonly failure: string };

interface Said {
  readonly message?: string;
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

function verdictOn(isFaulty: boolean, status: number, text: string): Verdict {
  const { message = text, metadata } = JSON.parse(text) as Said;
  if (status === 201) {
    return !isFaulty && metadata?.annotations?.[CATALOGUE.name.key] === 'load' ? 'judged' : 'failed open';
  }
  return isFaulty && status === 422 && message.includes('found "nowhere"')
    ? 'judged'
    : { failure: `${status} ${message}` };
}

/** An API server, and who asks it. */
type Asked = Pick<TestControlPlane, 'server' | 'certificateAuthority' | 'administrator'>;

/** Starts them: half of them must be rewritten, half denied, so that no webhook can be left out unseen. */
export function startLoad(plane: Asked, options: LoadOptions = {}): Load {
  const { perSecond = 200, maxInFlight = 48 } = options;
  const { certificateAuthority: ca, administrator } = plane;
  const agent = new Agent({
    allowH2: false,
    connections: maxInFlight,
    connect: { ca, cert: administrator.certificate, key: administrator.key },
  });
  const path = `/api/v1/namespaces/default/services?${stringify({ dryRun: 'All' })}`;
  const startedAt = performance.now();
  const inFlight = new Set<Promise<void>>();
  const failures: string[] = [];
  const tally = { sent: 0, answered: 0, failedOpen: 0, endedAt: 0 };

  const write = async (isFaulty: boolean): Promise<void> => {
    let verdict: Verdict;
    try {
      const { statusCode, body: reply } = await request(plane.server + path, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json' },
        body: isFaulty ? REFUSED : REWRITTEN,
      });
      verdict = verdictOn(isFaulty, statusCode, await reply.text());
    } catch (error) {
      verdict = { failure: String(error) };
    }
    tally.answered += 1;
    if (verdict === 'failed open') tally.failedOpen += 1;
    else if (verdict !== 'judged') failures.push(verdict.failure);
  };
  /** What the machine was too slow for is not made up for: that would be a burst. */
  let forgone = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000) - forgone - tally.sent;
    const sending = Math.min(due, maxInFlight - inFlight.size);
    forgone += due - sending;
    for (let n = 0; n < sending; n += 1) {
      const writing = write(tally.sent % 2 === 1).finally(() => inFlight.delete(writing));
      inFlight.add(writing);
      tally.sent += 1;
    }
  }, TICK_MS);
  const report = (): LoadReport => ({
    answered: tally.answered,
    heldPerSecond: Math.round((tally.sent * 1_000) / ((tally.endedAt || performance.now()) - startedAt)),
    failures: [...failures],
    failedOpen: tally.failedOpen,
  });
  const stop = async (): Promise<LoadReport> => {
    clearInterval(timer);
    tally.endedAt ||= performance.now();
    await Promise.all(inFlight);
    await agent.destroy();
    return report();
  };
  return {
    report,
    more: async (count) => {
      const goal = tally.answered + count;
      while (tally.answered < goal) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}
