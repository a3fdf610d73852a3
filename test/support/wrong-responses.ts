import { isWrite } from '../../src/alibaba/call.ts';
import type { AnswerHook } from './process-hooks.ts';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapped = (record: object, change: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

/** Returns an answer with a shortened list and an unchanged total, as a faulty cloud would send it. */
const lacking = (answer: object, keeps: (index: number) => boolean): object =>
  mapped(answer, (value) =>
    isRecord(value)
      ? mapped(value, (list) => (Array.isArray(list) ? list.filter((_, index) => keeps(index)) : list))
      : value,
  );

/** Corruptions of the answer to one read, by a phrase without its subject. */
export const WRONG_ANSWERS: Readonly<Record<string, (answer: object, before: object) => object>> = {
  'is stale': (_, before) => before,
  'omits every second entry': (answer) => lacking(answer, (index) => index % 2 === 1),
  'omits every other entry': (answer) => lacking(answer, (index) => index % 2 === 0),
  'omits all entries': (answer) => lacking(answer, () => false),
};

/** Corrupts the `nth` read, counted from 1 once `isCounting`. Earlier answers to the same question are recorded from the start. */
export function answeredWrongly(
  nth: number,
  wrong: (answer: object, before: object) => object,
  isCounting: () => boolean,
): AnswerHook {
  const known = new Map<string, object>();
  let reads = 0;
  return (operation, parameters, answer) => {
    if (isWrite(operation)) return answer;
    const question = JSON.stringify([operation.action, parameters]);
    const before = known.get(question) ?? answer;
    known.set(question, answer);
    if (!isCounting() || (reads += 1) !== nth) return answer;
    return wrong(answer, before);
  };
}
