import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** A command that runs on one core alone, where the machine can do that; the command itself otherwise, or when no core is named. */
export const onCore = (core: number | undefined, command: readonly string[]): readonly string[] =>
  canPin && core !== undefined ? ['taskset', '--cpu-list', String(core), ...command] : command;
