import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a page tells its reader to do: to run commands, or to write a file. */
export interface Step {
  /** Of its section. */
  readonly heading: string;
  readonly kind: 'run' | 'write';
  readonly text: string;
  /** Of a file to be written: as its first line says it. */
  readonly path: string;
}

/** The blocks of a page in `bash`, and those in `yaml` that begin with the name of a file, in their order. */
export function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  let heading = '';
  for (const match of readFileSync(page, 'utf8').matchAll(/^## (.+)$|^```(\w+)\n([^]*?)^```$/gm)) {
    const [, title, language = '', text = ''] = match;
    const path = /^# (\S+\.yaml)\n/.exec(text)?.[1] ?? '';
    if (title !== undefined) heading = title;
    else if (language === 'bash') steps.push({ heading, kind: 'run', text, path: '' });
    else if (language === 'yaml' && path !== '') steps.push({ heading, kind: 'write', text, path });
  }
  return steps;
}

export interface Shell {
  /** Where it is. */
  folder(): string;
  /** Runs commands as they stand, and stays in the folder in which they end. Rejects when one fails. Answers what they printed. */
  run(text: string): Promise<string>;
  write(path: string, text: string): void;
}

/** A person's shell, which begins in a folder. */
export function shellIn(folder: string, environment: NodeJS.ProcessEnv): Shell {
  const end = join(folder, '.folder');
  let at = folder;
  return {
    folder: () => at,
    run: (text) =>
      new Promise((resolve, reject) => {
        const script = `set -euo pipefail\n${text}\npwd > "$OWN_FOLDER"`;
        const env = { ...environment, OWN_FOLDER: end };
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
