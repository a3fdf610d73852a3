import { mutate } from '../../webhook/mutate/mutate.ts';
import { ALL_RULES, type RuleSet } from '../../webhook/admission/validate.ts';
import type { Case } from './case.ts';
import { wrongValue } from './value-check.ts';
import { ask, isUnreadable, type WebhookOutput } from './webhook.ts';

/** The maximum processor time of a review, in milliseconds: far above the usual time, and below any deadline of the API server. */
const HANG_MS = 1_000;
/** Maximum total length of a request's warnings before the API server truncates them, in characters. */
const WARNINGS_TOTAL = 4_096;
const MESSAGE_LIMIT = 65_536;
/** The maximum length of the message about an unreadable body, in characters. */
const UNREADABLE_LIMIT = 1_000;
/** Terminal control characters, bidirectional controls, and surrogate halves. Only messages may contain line breaks. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const MAY_PATCH = /^\/metadata\/(?:annotations|labels|managedFields)\//;

export interface Examined {
  /** The failed check. Undefined if all checks passed. */
  readonly failure?: string;
  /** Processor time in milliseconds, which excludes other processes on the machine. */
  readonly ms: number;
  readonly decision: string;
}

/** Returns the processor time of this thread so far. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Sends a case through the webhook in this process, and checks the result. `fuzz` calls this function for each generated review. */
export function examine(one: Case, rules: RuleSet = ALL_RULES): Examined {
  const since = processorMs();
  let output: WebhookOutput;
  try {
    output = ask(one.body, rules);
  } catch (error) {
    const ms = processorMs() - since;
    if (!isUnreadable(error)) return { ms, decision: 'crashed', failure: `crashed: ${String((error as Error).stack)}` };
    const failure = unreadFailure(error as Error, one);
    return { ms, decision: 'unreadable', ...(failure === undefined ? {} : { failure }) };
  }
  const ms = processorMs() - since;
  const failure = ms > HANG_MS ? `took ${ms.toFixed(0)} ms` : failureOn(output, one);
  return { ms, decision: output.verdict.decision, ...(failure === undefined ? {} : { failure }) };
}

function unreadFailure({ message }: Error, { written }: Case): string | undefined {
  if (written !== undefined) return `was not read: ${message}`;
  return message.length > UNREADABLE_LIMIT
    ? `the message about an unreadable body is too long: ${message.slice(0, 200)}`
    : undefined;
}

function failureOn(input: WebhookOutput, { written, isNoChange }: Case): string | undefined {
  const { outcome, verdict, mutation } = input;
  const [failed] = outcome.unevaluated;
  if (failed !== undefined) return `rule ${failed.rule.name} threw: ${String((failed.error as Error).stack)}`;
  if (verdict.answer.allowed !== (verdict.decision !== 'denied')) return 'decision and answer differ';
  if (isNoChange && !verdict.answer.allowed) return 'an update that changes a label was denied';
  if (!(mutation.patch ?? []).every(({ path }) => MAY_PATCH.test(path)))
    return 'the mutation changes other fields than metadata';
  if (Object.keys(Object.prototype).length > 0) return 'Object.prototype was changed';
  return unsafeText(input) ?? unstable(input) ?? (written && wrongValue(input, written, isNoChange));
}

/** Returns the mistake in the texts that a user would see: unsafe characters, or excessive length. */
function unsafeText({ verdict: { answer }, mutation }: WebhookOutput): string | undefined {
  const { status } = answer;
  const warnings = [...(mutation.warnings ?? []), ...(answer.warnings ?? [])];
  const causes = (status?.details?.causes ?? []).flatMap(({ field, message }) => [field, message]);
  const lines = (status?.message ?? '').split('\n');
  const audit = Object.values(answer.auditAnnotations ?? {});
  const unsafe = [...warnings, ...causes, ...lines, ...audit].find((text) => UNSAFE.test(text));
  if (unsafe !== undefined) return `shows unsafe characters: ${JSON.stringify(unsafe)}`;
  if (warnings.reduce((sum, text) => sum + text.length, 0) > WARNINGS_TOTAL) return 'the warnings are too long';
  return (status?.message.length ?? 0) > MESSAGE_LIMIT ? 'the message is too long' : undefined;
}

/** Returns the instability of a mutation: a second mutation must change nothing. */
function unstable({ request, mutated, mutation }: WebhookOutput): string | undefined {
  if ((mutation.patch ?? []).length === 0) return undefined;
  const again = mutate({ ...request, object: mutated }, 'auto').patch ?? [];
  return again.length === 0 ? undefined : `a second mutation changes more: ${JSON.stringify(again)}`;
}
