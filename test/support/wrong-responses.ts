import { isWrite } from '../../src/alibaba/cloud-call-types.ts';
import type { AnswerHook } from './process-hooks.ts';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapped = (record: object, change: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

/** Returns a response with a shortened list and an unchanged total, as a faulty cloud may send it. */
const lacking = (answer: object, keeps: (index: number) => boolean): object =>
  mapped(answer, (value) =>
    isRecord(value)
      ? mapped(value, (list) => (Array.isArray(list) ? list.filter((_, index) => keeps(index)) : list))
      : value,
  );

/** Changes that make a response of the cloud wrong. The key is the predicate of a test title in the suite faults. */
export const WRONG_ANSWERS: Readonly<Record<string, (answer: object, before: object) => object>> = {
  'is stale': (_, before) => before,
  'omits every odd entry': (answer) => lacking(answer, (index) => index % 2 === 1),
  'omits every even entry': (answer) => lacking(answer, (index) => index % 2 === 0),
  'omits all entries': (answer) => lacking(answer, () => false),
};

/** Makes the response to the `nth` read wrong, counted while `isCounting` returns true. `wrong` also gets the previous response to the same read. */
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
