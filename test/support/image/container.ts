import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ContainerConfig } from './layout.ts';

/** A command on this machine that runs a program in an unpacked image, so that the suite image needs no container engine. */
export interface ContainerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Mounts the file system read-only in a user namespace. Then runs the command as the user of the image, without capabilities. */
const SCRIPT = `
root=$1 folder=$2 user=$3 group=$4; shift 4
mount --rbind "$root" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do
  mount --bind "$1" "$root$1"
  mount -o remount,bind,ro,nosuid,nodev "$root$1"
  shift
done
mount -o remount,bind,ro,nosuid,nodev "$root"
exec unshare --user --map-user="$user" --map-group="$group" --root="$root" --wd="$folder" "$@"`;

/** An unpacked image. */
export interface Container {
  readonly root: string;
  readonly config: ContainerConfig;
}

/** Returns the command that runs `words` in a container. The container can read the folders `mounts` of this machine. */
export function inContainer(
  { root, config }: Container,
  words: readonly string[],
  mounts: readonly string[] = [],
): ContainerCommand {
  for (const each of mounts) mkdirSync(join(root, each), { recursive: true });
  const [user = '', group = ''] = config.User.split(':');
  const variables = config.Env.map((each) => [each.split('=', 1)[0] ?? '', each.slice(each.indexOf('=') + 1)] as const);
  return {
    command: 'unshare',
    args: [
      ...['--user', '--map-root-user', '--mount', 'sh', '-euc', SCRIPT, 'sh'],
      ...[root, config.WorkingDir, user, group, ...mounts, '--', ...words],
    ],
    env: { ...Object.fromEntries(variables), HOME: '/' },
  };
}

/** Runs the command `words` in a container to its end. Returns the standard output. */
export async function runInContainer(container: Container, words: readonly string[]): Promise<string> {
  const { command, args, env } = inContainer(container, words);
  return (await promisify(execFile)(command, args, { env })).stdout;
}
