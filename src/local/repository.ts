import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PortcullisError } from '../base/errors.ts';

/** Returns the root of the clone: the nearest folder above `from` with `package.json` and `src/local`. Works for sources and for compiled files. */
export function repositoryRoot(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'src', 'local'))) return folder;
    if (dirname(folder) === folder) {
      throw new PortcullisError(
        'InvalidConfiguration',
        `no package.json above ${from}: run the sandbox from a clone of the repository`,
      );
    }
  }
}
