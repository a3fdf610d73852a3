import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WITHOUT_COLLECTION } from './short-process.ts';

/** A step that a page of the documentation describes: commands to run, or a file to write. Tests execute the steps unchanged. */
export interface Step {
  /** The heading of its section. */
  readonly heading: string;
  readonly kind: 'run' | 'write';
  readonly text: string;
  /** The path of the file to write, from the first line of the block. */
  readonly path: string;
}

/** Returns the `bash` blocks of a page, and the `yaml` blocks that begin with a file name, in order. */
export function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  let heading = '';
  for (const match of readFileSync(page, 'utf8').matchAll(/^## (.+)$|^( *)```(\w+)\n([^]*?)^\2```$/gm)) {
    const [, title, indent = '', language = '', block = ''] = match;
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const path = /^# (\S+\.yaml)\n/.exec(text)?.[1] ?? '';
    if (title !== undefined) heading = title;
    else if (language === 'bash') steps.push({ heading, kind: 'run', text, path: '' });
    else if (language === 'yaml' && path !== '') steps.push({ heading, kind: 'write', text, path });
  }
  return steps;
}

export interface Shell {
  /** Returns the current folder. */
  folder(): string;
  /** Runs commands unchanged, and keeps the final working folder. Rejects if a command fails. Returns the output. */
  run(text: string): Promise<string>;
  write(path: string, text: string): void;
}

/** Creates a shell as a user has it, in a folder. */
export function shellIn(folder: string, environment: NodeJS.ProcessEnv): Shell {
  const end = join(folder, '.folder');
  let at = folder;
  return {
    folder: () => at,
    run: (text) =>
      new Promise((resolve, reject) => {
        const script = `set -euo pipefail\n${text}\npwd > "$OWN_FOLDER"`;
        const env = { ...environment, ...WITHOUT_COLLECTION, OWN_FOLDER: end };
        execFile('bash', ['-c', script], { cwd: at, env }, (error, stdout, stderr) => {
          if (error !== null) reject(new Error(`${text}\n${stdout}${stderr}`));
          else {
            at = readFileSync(end, 'utf8').trim();
            resolve(stdout + stderr);
          }
        });
      }),
    write: (path, text) => writeFileSync(join(at, path), text),
  };
}
