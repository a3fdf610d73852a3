import type { Clock } from '../../base/clock.ts';
import type { ProgressReporter } from '../progress.ts';
import type { SandboxPart } from '../sandbox-record.ts';

/** The options of each command that starts or stops a sandbox. */
export interface SandboxOptions {
  readonly name: string;
  readonly progress: ProgressReporter;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The options of `make up`. */
export interface UpOptions extends SandboxOptions {
  readonly without: readonly SandboxPart[];
  /** The variables that select tool folders and the version of Kubernetes. */
  readonly env: NodeJS.ProcessEnv;
}
