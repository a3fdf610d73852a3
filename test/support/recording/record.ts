import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isMissingProgram } from '../../../src/local/external-command.ts';
import type { Transcript, TranscriptEvent } from './transcript.ts';

/** A program to record. `make recording` records the demo for the documentation. */
export interface RecordedCommand {
  readonly command: readonly [file: string, ...args: readonly string[]];
  readonly env: NodeJS.ProcessEnv;
  readonly width: number;
  readonly height: number;
  /** Receives the output, so that a user sees the progress. */
  readonly echo: (text: string) => void;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs a program on a pseudo terminal by the command "script" of util-linux. Returns its output with times. Rejects if the program fails. */
export async function record({ command, env, width, height, echo }: RecordedCommand): Promise<Transcript> {
  const line = `stty cols ${width} rows ${height} && exec ${command.map(quoted).join(' ')}`;
  const args = ['--quiet', '--flush', '--return', '--command', line, '/dev/null'];
  const started = performance.now();
  const child = spawn('script', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const events: TranscriptEvent[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    events.push({ seconds: (performance.now() - started) / 1000, text });
    echo(text);
  });
  const [code] = (await once(child, 'close').catch(withRemedy)) as [number | null];
  if (code !== 0) throw new Error(`the recorded program ended with ${code === null ? 'a signal' : `code ${code}`}`);
  return { width, height, events };
}

/** Throws the error of a program that did not start, with a remedy. */
function withRemedy(error: unknown): never {
  if (!isMissingProgram(error)) throw error;
  throw new Error('script not found: a recording needs the command "script" of util-linux', { cause: error });
}
