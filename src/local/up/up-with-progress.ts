import { formOf, type TextOutput } from '../terminal.ts';
import { printProgress } from '../progress.ts';
import type { UpOptions } from './option-types.ts';
import { up, type UpResult } from './up.ts';

/** Starts a sandbox, and prints its name, the progress and the duration. `make up` and `make demo` start sandboxes with this function. */
export async function reportedUp(options: Omit<UpOptions, 'progress'>, output: TextOutput): Promise<UpResult> {
  const { name, clock, env } = options;
  const since = clock.monotonic();
  output.write(`${formOf(output, env).paint('bold', `sandbox ${name}`)}\n`);
  const result = await up({ ...options, progress: printProgress(output, clock) });
  const seconds = ((clock.monotonic() - since) / 1000).toFixed(1);
  output.write(result.already ? `sandbox ${name} already runs\n` : `ready after ${seconds} s\n`);
  return result;
}
