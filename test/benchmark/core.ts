import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Returns a command that runs on one core only. Returns the command unchanged without a core, or if the machine cannot pin processes. */
export const onCore = (core: number | undefined, command: readonly string[]): readonly string[] =>
  canPin && core !== undefined ? ['taskset', '--cpu-list', String(core), ...command] : command;
