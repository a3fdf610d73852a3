import { z } from 'zod';
import { AdminError } from './error.ts';

/** What can go wrong with a call. */
export const EFFECTS = [
  /** Answered with `code`; nothing happens. */
  'refuse',
  /** Answered as over the rate; with `wholeWindow` the operation stays closed until its window ends. */
  'throttle',
  /** Answered as busy; with `ms` the object stays locked that long. */
  'busy',
  /** No answer ever; nothing happens. */
  'timeout-before-commit',
  /** The call takes effect; no answer ever. */
  'timeout-after-commit',
  /** No answer ever; the call takes effect `ms` later. */
  'late-commit',
  /** The connection is cut; nothing happens. */
  'cut-before-commit',
  /** The call takes effect; the connection is cut before the answer. */
  'cut-after-commit',
  /** The call takes effect; the connection is cut in the middle of the answer. */
  'cut-reply',
  /** The call takes effect and is answered `ms` later than usual. */
  'slow',
  /** Lists and tag filters of this call show the state of `ms` ago (30 s unless told). */
  'stale-list',
  /** The call takes effect; the answer is `body`, a page of HTML unless told. */
  'malformed-body',
] as const;

export type Effect = (typeof EFFECTS)[number];

const Fault = z.strictObject({
  product: z.enum(['Slb', 'Vpc', 'Ecs', 'Sts'], 'expected Slb, Vpc, Ecs or Sts').optional(),
  /** `*` or absent: any. */
  action: z.string().min(1, 'expected the name of an operation, or *').default('*'),
  kind: z.enum(['read', 'write'], 'expected read or write').optional(),
  /** The first call to be hit, of those that match from now on, counted from 1. */
  nth: z.int('expected a whole number').min(1, 'expected 1 or more').default(1),
  /** How many matching calls in a row are hit. */
  count: z.union([z.int().min(1), z.literal('forever')], 'expected a whole number from 1, or "forever"').default(1),
  /** Values of wire parameters that a call must have; `UserAgent` is looked for inside the user agent. */
  filter: z.record(z.string(), z.string(), 'expected names and texts').default({}),
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
  const given = new Map(Object.entries(target.parameters).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.entries(fault.filter).every(([name, value]) =>
    name === 'UserAgent' ? target.userAgent.includes(value) : given.get(name.toLowerCase()) === value,
  );
}

/** The faults to come. Every matching call is counted by every fault; the oldest fault whose turn it is hits. */
export class FaultPlan {
  #armed: { readonly fault: Fault; seen: number }[] = [];

  /** Throws an `AdminError` for an action that no product has, or a fault that lacks its code. */
  add(faults: readonly Fault[], actions: ReadonlySet<string>): void {
    for (const [index, { action, effect, code }] of faults.entries()) {
      if (action !== '*' && !actions.has(action)) {
        throw new AdminError(`faults[${index}].action: the cloud has no operation "${action}"`);
      }
      if (effect === 'refuse' && code === undefined) {
        throw new AdminError(`faults[${index}].code: the effect "refuse" needs the error code to answer`);
      }
    }
    this.#armed.push(...faults.map((fault) => ({ fault, seen: 0 })));
  }

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

  /** Those that can still hit, with how many matching calls they have seen. */
  pending(): readonly (Fault & { readonly seen: number })[] {
    return this.#armed.map(({ fault, seen }) => ({ ...fault, seen }));
  }

  clear(): void {
    this.#armed = [];
  }
}
