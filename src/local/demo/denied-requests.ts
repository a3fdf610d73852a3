import type { CommandOutput } from './kubectl.ts';
import { expect, type Demo } from './demo-step.ts';
import { causesIn } from './folded-denial.ts';

interface Request {
  /** The arguments of `kubectl`. */
  readonly args: readonly string[];
}

/** A `kubectl` command whose request must be denied. */
export interface DeniedRequest extends Request {
  /** The expected fields of the denial, one for each cause. */
  readonly fields: readonly string[];
}

/** Sends the requests concurrently, and checks that each denial names exactly the fields of its request. Returns the outputs of `kubectl`. */
export async function denied(demo: Demo, ...requests: readonly DeniedRequest[]): Promise<readonly CommandOutput[]> {
  const attempts = await attempted(demo, requests);
  for (const attempt of attempts) {
    showDenial(demo, attempt);
    const { fields, output } = attempt;
    const causes = causesIn(output.stderr);
    const hasEveryField = fields.every((field) => causes.some((cause) => cause.includes(field)));
    const expectation =
      fields.length === 1 ? `denied: ${fields.join()}` : `denied: ${fields.length} violations, each on its own line`;
    const holds = output.code !== 0 && hasEveryField && causes.length === fields.length;
    expect(demo, holds, expectation, output.code === 0 ? 'the request was accepted' : output.stderr);
  }
  return attempts.map(({ output }) => output);
}

type Attempt<Kind extends Request = Request> = Kind & { readonly output: CommandOutput };

/** Runs the `kubectl` commands concurrently. Returns each request with its output. */
export const attempted = <Kind extends Request>(
  { narrator, kubectl }: Demo,
  requests: readonly Kind[],
): Promise<readonly Attempt<Kind>[]> =>
  narrator.during('kubectl', () =>
    Promise.all(requests.map(async (request) => ({ ...request, output: await kubectl.quiet(...request.args) }))),
  );

/** Prints the command line and the denial of a request. */
export function showDenial({ narrator, kubectl }: Demo, { args, output }: Attempt): void {
  kubectl.announce(...args);
  narrator.denial(output.stderr);
  narrator.output(output.stdout);
}

/** Runs `kubectl` and checks that the API server accepts the request with a warning that contains `words`. */
export async function warned(demo: Demo, words: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await demo.kubectl.show(...args);
  const hasWarning = stderr.split('\n').some((line) => line.startsWith('Warning: ') && line.includes(words));
  expect(demo, code === 0 && hasWarning, `accepted, with a warning: ${words}`, stderr || 'no warning');
}
