import { z } from 'zod';
import { AdminError } from './error.ts';

/** The effects of faults. A user or a test adds a fault, and the simulator applies its effect to the matching calls. */
export const EFFECTS = [
  /** The response is the error `code`, and the call has no effect. */
  'reject',
  /** The response is a throttling error. With `wholeWindow`, all calls of the operation are throttled until the rate-limit window ends. */
  'throttle',
  /** The response is a busy error. With `ms`, the load balancer or VPC of the call stays locked for `ms` milliseconds. */
  'busy',
  /** The caller gets no response, and the call has no effect. */
  'timeout-before-commit',
  /** The call takes effect, and the caller gets no response. */
  'timeout-after-commit',
  /** The caller gets no response, and the call takes effect after `ms` milliseconds. */
  'late-commit',
  /** The connection is cut, and the call has no effect. */
  'cut-before-commit',
  /** The call takes effect, and the connection is cut before the response. */
  'cut-after-commit',
  /** The call takes effect, and the connection is cut in the middle of the response. */
  'cut-reply',
  /** The call takes effect after `ms` milliseconds, and the response follows. */
  'slow',
  /** Lists and tag filters of the call show the state of `ms` milliseconds ago, by default 30 s. */
  'stale-list',
  /** The call takes effect, and the response is `body`, by default an HTML page. */
  'malformed-body',
] as const;

export type Effect = (typeof EFFECTS)[number];

const Fault = z.strictObject({
  product: z.enum(['Slb', 'Vpc', 'Ecs', 'Sts'], 'expected Slb, Vpc, Ecs or Sts').optional(),
  /** `*`, the default, matches any operation. */
  action: z.string().min(1, 'expected the name of an operation, or *').default('*'),
  kind: z.enum(['read', 'write'], 'expected read or write').optional(),
  /** The number of the first affected call among the matching calls, from 1. The count begins when the fault is added. */
  nth: z.int('expected a whole number').min(1, 'expected 1 or more').default(1),
  /** The number of affected calls. */
  count: z.union([z.int().min(1), z.literal('forever')], 'expected a whole number from 1, or "forever"').default(1),
  /** The parameter values of a matching call. The key `UserAgent` matches a part of the user agent. */
  filter: z.record(z.string(), z.string(), 'expected names and strings').default({}),
  effect: z.enum(EFFECTS, `expected one of ${EFFECTS.join(', ')}`),
  code: z.string().min(1).optional(),
  status: z.int().min(400).max(599).optional(),
  message: z.string().optional(),
  ms: z.int('expected whole milliseconds').min(0).max(86_400_000).optional(),
  wholeWindow: z.boolean().optional(),
  body: z.string().optional(),
});

export const Faults = z.array(Fault, 'expected a list of faults');
export type Fault = z.output<typeof Fault>;

/** The properties of a call that faults match. */
export interface FaultTarget {
  readonly product: string | undefined;
  readonly action: string;
  readonly kind: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly userAgent: string;
}

function matches(fault: Fault, target: FaultTarget): boolean {
  if (fault.action !== '*' && fault.action !== target.action) return false;
  if (fault.product !== undefined && fault.product !== target.product) return false;
  if (fault.kind !== undefined && fault.kind !== target.kind) return false;
  const parameters = new Map(Object.entries(target.parameters).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.entries(fault.filter).every(([name, value]) =>
    name === 'UserAgent' ? target.userAgent.includes(value) : parameters.get(name.toLowerCase()) === value,
  );
}

/** The active faults. Each fault counts its matching calls. If several faults apply to a call, the oldest fault takes effect. */
export class FaultPlan {
  #armed: { readonly fault: Fault; seen: number }[] = [];

  /** Adds faults. Throws an `AdminError` for an unknown operation, and for the effect `reject` without a code. */
  add(faults: readonly Fault[], actions: ReadonlySet<string>): void {
    for (const [index, { action, effect, code }] of faults.entries()) {
      if (action !== '*' && !actions.has(action)) {
        throw new AdminError(`faults[${index}].action: unknown operation "${action}"`);
      }
      if (effect === 'reject' && code === undefined) {
        throw new AdminError(`faults[${index}].code: the effect "reject" requires an error code`);
      }
    }
    this.#armed.push(...faults.map((fault) => ({ fault, seen: 0 })));
  }

  /** Counts a call and returns its fault. Removes the faults whose `count` is used up. Runs once for each call within the rate limit. */
  take(target: FaultTarget): Fault | undefined {
    let hit: Fault | undefined;
    for (const armed of this.#armed) {
      if (!matches(armed.fault, target)) continue;
      armed.seen += 1;
      if (armed.seen >= armed.fault.nth) hit ??= armed.fault;
    }
    this.#armed = this.#armed.filter(
      ({ fault, seen }) => fault.count === 'forever' || seen < fault.nth + fault.count - 1,
    );
    return hit;
  }

  /** Returns the active faults, each with the number of its matching calls. */
  pending(): readonly (Fault & { readonly seen: number })[] {
    return this.#armed.map(({ fault, seen }) => ({ ...fault, seen }));
  }

  clear(): void {
    this.#armed = [];
  }
}
