import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FieldErrorReason } from '../../../src/base/field-error.ts';
import { goLine } from '../../../src/local/tools/build-inputs.ts';
import { go, goVersion } from '../../../src/local/tools/go-command.ts';

/** The folder of the Go module. */
export const MODULE = import.meta.dirname;

/** A field error for Kubernetes to print. */
export interface FieldErrorRequest {
  readonly type: FieldErrorReason;
  readonly field?: string;
  /** Absent if Kubernetes omits it. */
  readonly badValue?: string | number;
  readonly detail?: string;
  /** The values of `field.NotSupported`, in place of the detail. */
  readonly supported?: readonly string[];
}

export interface PrintedFieldError {
  readonly reason: string;
  readonly body: string;
}

export interface FieldErrorProgram extends Disposable {
  readonly print: (requests: readonly FieldErrorRequest[]) => Promise<readonly PrintedFieldError[]>;
}

/** Builds the Go program that prints field errors with the library of Kubernetes. The suite contract compares the rules' messages with its output. */
export async function buildFieldErrorProgram(): Promise<FieldErrorProgram> {
  await goVersion(goLine(readFileSync(join(MODULE, 'go.mod'), 'utf8')), {});
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-field-error-'));
  const program = join(folder, 'field-error');
  await go(['-C', MODULE, 'build', '-o', program, '.'], {});
  return {
    print: async (requests) => {
      const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
      const [output, [code]] = await Promise.all([
        text(child.stdout),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      if (code !== 0) throw new Error(`${program} ended with ${String(code)}`);
      const lines = output.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as PrintedFieldError);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
