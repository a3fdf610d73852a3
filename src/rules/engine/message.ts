import type { Violation } from '../rule.ts';
import type { Finding } from './evaluate.ts';
import { errorBody } from '../../base/field-error.ts';
import { plain } from './safe-text.ts';

/** A cached message, with the parts from which it was composed. */
interface MessageParts {
  readonly violation: Pick<Violation, 'reason' | 'value' | 'detail' | 'remedy'>;
  readonly note: string | undefined;
  readonly message: string;
}

/** The last message of each rule and field. The cache helps, because denied clients retry and many objects have equal violations. */
const remembered = new Map<string, Map<string, MessageParts>>();
/** The number of messages in `remembered`. */
let count = 0;
/** The maximum number of cached messages, and the maximum length of their parts in characters, so that users cannot fill the memory. */
const MOST_REMEMBERED = 2_000;
const LONGEST = 1_000;

/** Returns the message of a finding for users: the field error of Kubernetes, the remedy, and the rule or policy constraint in brackets. */
export function violationMessage(finding: Finding): string {
  const { rule, violation, note } = finding;
  const last = remembered.get(rule.name)?.get(violation.field);
  if (last !== undefined && last.note === note && isSame(last.violation, violation)) return last.message;
  const { reason, value, detail, remedy } = violation;
  const parts = {
    violation: { reason, value, detail, ...(remedy === undefined ? {} : { remedy }) },
    note,
    message: composed(finding),
  };
  const length = violation.field.length + String(value).length + detail.length + (remedy?.length ?? 0);
  if (length <= LONGEST) remember(rule.name, violation.field, parts, last === undefined);
  return parts.message;
}

const isSame = (left: MessageParts['violation'], right: MessageParts['violation']): boolean =>
  left.value === right.value &&
  left.detail === right.detail &&
  left.remedy === right.remedy &&
  left.reason === right.reason;

function remember(rule: string, field: string, parts: MessageParts, isFurther: boolean): void {
  if (isFurther) count += 1;
  if (count > MOST_REMEMBERED) {
    remembered.clear();
    count = 1;
  }
  const ofRule = remembered.get(rule);
  if (ofRule === undefined) remembered.set(rule, new Map([[field, parts]]));
  else ofRule.set(field, parts);
}

function composed({ rule, violation, note }: Finding): string {
  const { reason, value, detail, remedy } = violation;
  const details = [detail, remedy, note].filter((part) => part !== undefined).map((part) => plain(part));
  return `${errorBody({ reason, value, detail: details.join('; ') })} [${plain(rule.name)}]`;
}
