import type { CommandOutput } from './kubectl.ts';
import { expect, type Demo } from './demo.ts';

/** The pattern of a cause in kubectl's output: a list item, or the text after the object's name if it is the only cause. */
const FAULT = /^(?:\* |The \w+ "[^"]*" is invalid: )(\S.*)$/gm;

/** Runs `kubectl` and checks that the API server denies the request for exactly these fields. Returns the output. */
export async function denied(
  demo: Demo,
  fields: readonly string[],
  ...args: readonly string[]
): Promise<CommandOutput> {
  const output = await demo.kubectl.show(...args);
  const { code, stderr } = output;
  expect(demo, code !== 0, 'it is denied', 'it was accepted');
  const faults = [...stderr.matchAll(FAULT)].map(([, fault = '']) => fault);
  const areTold = fields.every((field) => faults.some((fault) => fault.includes(field)));
  const said = fields.length === 1 ? `for ${fields.join()}` : `for ${fields.length} violations, each on its own line`;
  expect(demo, areTold && faults.length === fields.length, said, stderr);
  return output;
}

/** Runs `kubectl` and checks that the API server accepts the request with a warning that contains `words`. */
export async function warned(demo: Demo, words: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await demo.kubectl.show(...args);
  expect(demo, code === 0, 'it is accepted', stderr);
  const isTold = stderr.split('\n').some((line) => line.startsWith('Warning: ') && line.includes(words));
  expect(demo, isTold, `a warning names ${words}`, stderr || 'no warning');
}
