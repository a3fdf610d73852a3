import { PortcullisError } from '../../base/errors.ts';
import { isMissingProgram, run, type CommandOptions } from '../external-command.ts';
import { isOlder, versionIn } from './catalogue.ts';
import { GO_ENVIRONMENT } from './build-inputs.ts';

/** Runs the go command for a build of tools, and returns its output. */
export const go = (args: readonly string[], { env = {}, signal }: CommandOptions): Promise<string> =>
  run('go', args, { env: { ...env, ...GO_ENVIRONMENT }, signal });

/** Returns the version and platform of the installed Go, for example `go1.26.0 linux amd64`. Throws `InvalidConfiguration` without Go. */
export async function goVersion(options: CommandOptions): Promise<string> {
  try {
    const printed = await go(['env', 'GOVERSION', 'GOOS', 'GOARCH'], options);
    return printed.trim().split('\n').join(' ');
  } catch (cause) {
    if (!isMissingProgram(cause)) throw cause;
    throw new PortcullisError(
      'InvalidConfiguration',
      'go not found: install Go 1.26 or newer, or set PORTCULLIS_TOOLS to a folder with the built tools',
      { cause },
    );
  }
}

/** Throws `InvalidConfiguration` if the installed Go is older than the required version. */
export function checkGo(installed: string, required: string): void {
  const have = versionIn(installed.replace(/^go(\d+\.\d+) /, 'go$1.0 '));
  const need = versionIn(required);
  if (have !== undefined && need !== undefined && isOlder(have, need)) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `Go ${have.join('.')} is too old to build the control plane, which requires ${required}: install a newer Go, or set PORTCULLIS_TOOLS to a folder with the built tools`,
    );
  }
}
