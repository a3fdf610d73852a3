import type { Clock } from '../../base/clock.ts';
import type { Progress } from '../progress.ts';
import type { Part } from '../sandbox-record.ts';

export interface SandboxOptions {
  readonly name: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface UpOptions extends SandboxOptions {
  readonly without: readonly Part[];
  /** The variables that select tool folders and the version of Kubernetes. */
  readonly env: NodeJS.ProcessEnv;
}
