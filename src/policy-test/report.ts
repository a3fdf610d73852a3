import { plain } from '../rules/engine/safe-text.ts';
import { counted } from '../base/counted.ts';
import type { Difference, PolicyTestOutcome } from './run.ts';

const isPassed = ({ differences }: PolicyTestOutcome): boolean => differences.length === 0;

const VERBS: Readonly<Record<Difference['of'], string>> = {
  denied: 'denied by',
  warned: 'warned by',
  defaults: 'defaults',
};
const differenceText = ({ of, expected, found }: Difference): string =>
  `${VERBS[of]}: expected ${plain(expected)}, found ${plain(found)}`;

const caseLines = (result: PolicyTestOutcome): readonly string[] => {
  const name = plain(`${result.test}: ${result.name}`);
  if (isPassed(result)) return [`ok      ${name}`];
  return [
    `FAILED  ${name}`,
    `        ${plain(result.file)}:${result.line}`,
    ...result.differences.map((difference) => `        ${differenceText(difference)}`),
    ...result.messages.map((text) => `        ${plain(text, 2_000)}`),
  ];
};

/** Returns the output of `policy test` as text, with a line for each case. A failed case also shows the differences and the messages. */
export const resultsText = (results: readonly PolicyTestOutcome[]): string =>
  results
    .flatMap(caseLines)
    .map((line) => `${line}\n`)
    .join('');

/** Returns a summary, such as `3 cases: 2 passed, 1 failed`. */
export function resultsSummary(results: readonly PolicyTestOutcome[]): string {
  const passed = results.filter(isPassed).length;
  return `${counted(results.length, 'case')}: ${passed} passed, ${results.length - passed} failed`;
}

/** Returns the results as JSON. */
export function resultsJson(results: readonly PolicyTestOutcome[]): string {
  const passed = results.filter(isPassed).length;
  const cases = results.map((result) => ({ ...result, passed: isPassed(result) }));
  return JSON.stringify(
    { cases, summary: { cases: results.length, passed, failed: results.length - passed } },
    undefined,
    2,
  );
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML 1.0 cannot represent, in addition to control characters, which `plain` removes. */
const UNWRITABLE = /[\uFFFE\uFFFF]/g;
const escaped = (text: string): string =>
  text.replaceAll(UNWRITABLE, '\uFFFD').replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
const attribute = (text: string): string => escaped(plain(text, 2_000));

function caseXml(result: PolicyTestOutcome): string {
  const open = `    <testcase classname="${attribute(result.test)}" name="${attribute(result.name)}" file="${attribute(result.file)}" line="${result.line}"`;
  if (isPassed(result)) return `${open}/>\n`;
  const message = result.differences.map(differenceText).join('; ');
  const body = result.messages.map((text) => escaped(plain(text, 2_000))).join('\n');
  return `${open}>\n      <failure message="${attribute(message)}">${body}</failure>\n    </testcase>\n`;
}

/** Returns the results as JUnit XML for build servers, with a suite for each test. */
export function resultsJunit(results: readonly PolicyTestOutcome[]): string {
  const suites = Map.groupBy(results, ({ file, test }) => `${file} ${test}`);
  const parts = [...suites.values()].map((cases) => {
    const failures = cases.filter((result) => !isPassed(result)).length;
    const open = `  <testsuite name="${attribute(cases[0]?.test ?? '')}" tests="${cases.length}" failures="${failures}">\n`;
    return `${open}${cases.map(caseXml).join('')}  </testsuite>\n`;
  });
  const failures = results.filter((result) => !isPassed(result)).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="${results.length}" failures="${failures}">\n${parts.join('')}</testsuites>`;
}
