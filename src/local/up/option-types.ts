import type { Clock } from '../../base/clock.ts';
import type { ProgressReporter } from '../progress.ts';
import type { SeedInput } from '../simulator/seed-schema.ts';
import type { SandboxPart } from '../sandbox-record.ts';

/** The options of the commands that change a sandbox, such as `make up`, `make controller` and `make down`. */
export interface SandboxOptions {
  readonly name: string;
  readonly progress: ProgressReporter;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The options of `make up` and `make demo`. */
export interface UpOptions extends SandboxOptions {
  readonly without: readonly SandboxPart[];
  /** The load balancers that the simulated cloud has in addition to the load balancers of every sandbox. */
  readonly loadBalancers?: SeedInput['loadBalancers'];
  /** The variables that select tool folders and the version of Kubernetes. */
  readonly env: NodeJS.ProcessEnv;
}
