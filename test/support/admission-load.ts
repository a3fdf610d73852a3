import { stringify } from 'node:querystring';
import { Agent, request } from 'undici';
import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import type { TestControlPlane } from './control-plane.ts';

/** The results of the writes. */
export interface LoadReport {
  /** The number of answered writes. */
  readonly answered: number;
  /** The average number of writes sent per second. */
  readonly sustainedPerSecond: number;
  /** The answers of the API server to writes that the webhook cannot have evaluated. */
  readonly failures: readonly string[];
  /** The number of writes stored without a call of the webhook, or without the effect of its answer. */
  readonly failedOpen: number;
}

/** Dry-run writes at a steady rate, during which tests restart webhooks and API servers. No write may miss the webhook. */
export interface Load extends AsyncDisposable {
  /** Returns the results so far. */
  report(): LoadReport;
  /** Resolves when `count` further writes are answered. */
  more(count: number): Promise<void>;
  /** Stops sending, and waits for the outstanding answers. */
  stop(): Promise<LoadReport>;
}

export interface LoadOptions {
  readonly perSecond?: number;
  /** The maximum number of writes without an answer. Reduces the rate on a slow machine. */
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

/** A write whose key the mutating webhook must rewrite. */
const REWRITTEN = body({ [`${PREFIX}name`]: 'load' });
/** A write that the validating webhook must deny. */
const DENIED = body({ [`${PREFIX}name`]: 'load', [`${PREFIX}address-type`]: 'nowhere' });

type Verdict = 'evaluated' | 'failed open' | { readonly failure: string };

interface LoadInput {
  readonly message?: string;
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

function verdictOn(isFaulty: boolean, status: number, text: string): Verdict {
  const { message = text, metadata } = JSON.parse(text) as LoadInput;
  if (status === 201) {
    return !isFaulty && metadata?.annotations?.[CATALOGUE.name.key] === 'load' ? 'evaluated' : 'failed open';
  }
  return isFaulty && status === 422 && message.includes('Unsupported value: "nowhere"')
    ? 'evaluated'
    : { failure: `${status} ${message}` };
}

/** An API server, and the user that sends the writes. */
type ApiServerAccess = Pick<TestControlPlane, 'server' | 'certificateAuthority' | 'administrator'>;

/** Starts the writes. Half of them must be rewritten and half denied, so that a skipped webhook is noticed. */
export function startLoad(plane: ApiServerAccess, options: LoadOptions = {}): Load {
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
  const counts = { sent: 0, answered: 0, failedOpen: 0, endedAt: 0 };

  const write = async (isFaulty: boolean): Promise<void> => {
    let verdict: Verdict;
    try {
      const { statusCode, body: reply } = await request(plane.server + path, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json' },
        body: isFaulty ? DENIED : REWRITTEN,
      });
      verdict = verdictOn(isFaulty, statusCode, await reply.text());
    } catch (error) {
      verdict = { failure: String(error) };
    }
    counts.answered += 1;
    if (verdict === 'failed open') counts.failedOpen += 1;
    else if (verdict !== 'evaluated') failures.push(verdict.failure);
  };
  /** The number of writes skipped on a slow machine. They are not sent later, because that would be a burst. */
  let skipped = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000) - skipped - counts.sent;
    const sending = Math.min(due, maxInFlight - inFlight.size);
    skipped += due - sending;
    for (let n = 0; n < sending; n += 1) {
      const writing = write(counts.sent % 2 === 1).finally(() => inFlight.delete(writing));
      inFlight.add(writing);
      counts.sent += 1;
    }
  }, TICK_MS);
  const report = (): LoadReport => ({
    answered: counts.answered,
    sustainedPerSecond: Math.round((counts.sent * 1_000) / ((counts.endedAt || performance.now()) - startedAt)),
    failures: [...failures],
    failedOpen: counts.failedOpen,
  });
  const stop = async (): Promise<LoadReport> => {
    clearInterval(timer);
    counts.endedAt ||= performance.now();
    await Promise.all(inFlight);
    await agent.destroy();
    return report();
  };
  return {
    report,
    more: async (count) => {
      const goal = counts.answered + count;
      while (counts.answered < goal) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}
