import { PortcullisError } from '../../base/errors.ts';
import { isMissingProgram, run, type CommandOptions } from '../external-command.ts';
import { isOlder, versionIn, type Version } from './catalogue.ts';
import { GO_ENVIRONMENT } from './build-inputs.ts';

/** Runs the go command for a build of tools, and returns its output. */
export const go = (args: readonly string[], { env = {}, signal }: CommandOptions): Promise<string> =>
  run('go', args, { env: { ...env, ...GO_ENVIRONMENT }, signal });

/**
 * Returns the version and platform of the installed Go, for example `go1.26.0 linux amd64`. If Go is missing, throws `InvalidConfiguration` with the
 * required version.
 */
export async function goVersion(required: string, options: CommandOptions): Promise<string> {
  try {
    const printed = await go(['env', 'GOVERSION', 'GOOS', 'GOARCH'], options);
    return printed.trim().split('\n').join(' ');
  } catch (cause) {
    if (!isMissingProgram(cause)) throw cause;
    throw new PortcullisError(
      'InvalidConfiguration',
      `go not found: install Go ${required} or newer, or set PORTCULLIS_TOOLS to a folder with the built tools`,
      { cause },
    );
  }
}

/** Returns the version in the output of `goVersion`; undefined for a development version. A pre-release is older than patch release 0. */
function installedVersion(installed: string): Version | undefined {
  const [, major, minor, patch, stage] = /^go(\d+)\.(\d+)(?:\.(\d+)|(beta|rc)\d+)?/.exec(installed) ?? [];
  if (major === undefined) return undefined;
  return [Number(major), Number(minor), Number(patch ?? (stage === undefined ? 0 : -1))];
}

/** Throws `InvalidConfiguration` if the installed Go is older than the required version. */
export function checkGo(installed: string, required: string): void {
  const have = installedVersion(installed);
  const need = versionIn(required);
  if (have !== undefined && need !== undefined && isOlder(have, need)) {
    const [name = ''] = installed.split(' ');
    throw new PortcullisError(
      'InvalidConfiguration',
      `Go ${name.slice('go'.length)} is too old to build the control plane, which requires ${required}: install a newer Go, or set PORTCULLIS_TOOLS to a folder with the built tools`,
    );
  }
}
