import { mutate } from '../../webhook/mutate/mutate.ts';
import { ALL_RULES, type RuleSet } from '../../webhook/admission/validate.ts';
import type { Case } from './case.ts';
import { wrongValue } from './judge.ts';
import { ask, isUnreadable, type Said } from './webhook.ts';

/** Longest processor time that a review may take, in milliseconds; a thousand times the usual, and less than any deadline. */
const HANG_MS = 1_000;
/** What the API server takes of all warnings of a request together before it cuts them, in characters. */
const WARNINGS_TOTAL = 4_096;
const MESSAGE_LIMIT = 65_536;
/** What is told of a body that cannot be read, however much in it is wrong. */
const UNREADABLE_LIMIT = 1_000;
/** What steers a terminal, turns the direction of text, or is half a character; line breaks are for messages alone. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const MAY_PATCH = /^\/metadata\/(?:annotations|labels|managedFields)\//;

export interface Examined {
  /** Absent when all is well. */
  readonly complaint?: string;
  /** Processor time: others on the same machine do not count. */
  readonly ms: number;
  readonly decision: string;
}

/** Processor time of this thread so far. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Sends a case through the webhook in this process, and looks at what came of it. */
export function examine(one: Case, rules: RuleSet = ALL_RULES): Examined {
  const since = processorMs();
  let said: Said;
  try {
    said = ask(one.body, rules);
  } catch (error) {
    const ms = processorMs() - since;
    if (!isUnreadable(error))
      return { ms, decision: 'crashed', complaint: `crashed: ${String((error as Error).stack)}` };
    const complaint = unreadComplaint(error as Error, one);
    return { ms, decision: 'unreadable', ...(complaint === undefined ? {} : { complaint }) };
  }
  const ms = processorMs() - since;
  const complaint = ms > HANG_MS ? `took ${ms.toFixed(0)} ms` : complaintOn(said, one);
  return { ms, decision: said.verdict.decision, ...(complaint === undefined ? {} : { complaint }) };
}

function unreadComplaint({ message }: Error, { written }: Case): string | undefined {
  if (written !== undefined) return `was not read: ${message}`;
  return message.length > UNREADABLE_LIMIT ? `says too much of what was not read: ${message.slice(0, 200)}` : undefined;
}

function complaintOn(said: Said, { written, isNoChange }: Case): string | undefined {
  const { outcome, verdict, mutation } = said;
  const [failed] = outcome.unevaluated;
  if (failed !== undefined) return `rule ${failed.rule.name} threw: ${String((failed.error as Error).stack)}`;
  if (verdict.answer.allowed !== (verdict.decision !== 'denied')) return 'decision and answer differ';
  if (isNoChange && !verdict.answer.allowed) return 'an update that changes a label was denied';
  if (!(mutation.patch ?? []).every(({ path }) => MAY_PATCH.test(path))) return 'the mutation reaches too far';
  if (Object.keys(Object.prototype).length > 0) return 'what all objects inherit was changed';
  return unsafeText(said) ?? unstable(said) ?? (written && wrongValue(said, written, isNoChange));
}

/** Every text that a person gets to see. */
function unsafeText({ verdict: { answer }, mutation }: Said): string | undefined {
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

/** Mutating what was mutated changes nothing more. */
function unstable({ request, mutated, mutation }: Said): string | undefined {
  if ((mutation.patch ?? []).length === 0) return undefined;
  const again = mutate({ ...request, object: mutated }, 'auto').patch ?? [];
  return again.length === 0 ? undefined : `a second mutation changes more: ${JSON.stringify(again)}`;
}
