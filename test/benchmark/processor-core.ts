import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Returns a command that runs only on `core`, if the machine can pin processes. Client and server then share no core. */
export const onCore = (core: number | undefined, command: readonly string[]): readonly string[] =>
  canPin && core !== undefined ? ['taskset', '--cpu-list', String(core), ...command] : command;
