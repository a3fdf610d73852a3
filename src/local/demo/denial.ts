import type { CommandOutput } from './kubectl.ts';
import { expect, type Demo } from './demo.ts';

/** Matches a cause in kubectl's output. kubectl prints several causes as a list, and a single cause after the object's name. */
const CAUSE = /^(?:\* |The \w+ "[^"]*" is invalid: )(\S.*)$/gm;

/** Runs `kubectl` and checks that the API server denies the request with one cause for each of `fields`. Returns the output. */
export async function denied(
  demo: Demo,
  fields: readonly string[],
  ...args: readonly string[]
): Promise<CommandOutput> {
  const output = await demo.kubectl.show(...args);
  const { code, stderr } = output;
  expect(demo, code !== 0, 'the request is denied', 'the request was accepted');
  const causes = [...stderr.matchAll(CAUSE)].map(([, cause = '']) => cause);
  const hasEveryField = fields.every((field) => causes.some((cause) => cause.includes(field)));
  const expectation =
    fields.length === 1
      ? `the denial names ${fields.join()}`
      : `the denial lists ${fields.length} violations, each on its own line`;
  expect(demo, hasEveryField && causes.length === fields.length, expectation, stderr);
  return output;
}

/** Runs `kubectl` and checks that the API server accepts the request with a warning that contains `words`. */
export async function warned(demo: Demo, words: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await demo.kubectl.show(...args);
  expect(demo, code === 0, 'the request is accepted', stderr);
  const hasWarning = stderr.split('\n').some((line) => line.startsWith('Warning: ') && line.includes(words));
  expect(demo, hasWarning, `a warning names ${words}`, stderr || 'no warning');
}
