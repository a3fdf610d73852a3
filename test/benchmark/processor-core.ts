import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Returns the command, restricted to `core` if the machine can pin processes, so that client and server do not share a core. */
export const onCore = (core: number | undefined, command: readonly string[]): readonly string[] =>
  canPin && core !== undefined ? ['taskset', '--cpu-list', String(core), ...command] : command;
