import type { Finding } from './evaluate.ts';
import { plain, quoted } from './text.ts';

/** The parts of a message besides the rule and the field. */
interface MessageParts {
  readonly found: string;
  readonly allowed: string;
  readonly fix: string;
  readonly note: string | undefined;
  readonly sentence: string;
}

/** The last message by rule and field. Denied clients retry, and many objects have the same violation. */
const remembered = new Map<string, Map<string, MessageParts>>();
let count = 0;
/** The most cached messages, and the most characters of a cached message. Both are limited because users choose fields and values. */
const MOST_REMEMBERED = 2_000;
const LONGEST = 1_000;

/** Returns the message: the value found, the allowed values, the fix, and the rule to explain or the policy constraint. */
export function violationMessage(finding: Finding): string {
  const { rule, fault, note } = finding;
  const { field, found, allowed, fix } = fault;
  const last = remembered.get(rule.name)?.get(field);
  if (last?.found === found && last.allowed === allowed && last.fix === fix && last.note === note) return last.sentence;
  const said = { found, allowed, fix, note, sentence: composed(finding) };
  const length = field.length + found.length + allowed.length + fix.length;
  if (length <= LONGEST) remember(rule.name, field, said, last === undefined);
  return said.sentence;
}

function remember(rule: string, field: string, said: MessageParts, isFurther: boolean): void {
  if (isFurther) count += 1;
  if (count > MOST_REMEMBERED) {
    remembered.clear();
    count = 1;
  }
  const ofRule = remembered.get(rule);
  if (ofRule === undefined) remembered.set(rule, new Map([[field, said]]));
  else ofRule.set(field, said);
}

function composed({ rule, fault, note }: Finding): string {
  const found = fault.found === '' ? 'nothing is set' : `found ${quoted(fault.found)}`;
  const beside = note === undefined ? '' : `; ${plain(note)}`;
  const origin = rule.family === undefined ? `portcullis explain ${rule.name}` : plain(rule.name);
  return `${found}, allowed: ${plain(fault.allowed)}; ${plain(fault.fix)}${beside} (${origin})`;
}
