import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/**
 * Returns a command that runs only on `core`, so that client and server do not share a core. Returns the command unchanged if `core` is undefined, or
 * if the machine cannot pin processes.
 */
export const onCore = (core: number | undefined, command: readonly string[]): readonly string[] =>
  canPin && core !== undefined ? ['taskset', '--cpu-list', String(core), ...command] : command;
