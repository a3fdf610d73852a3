import type { LoadBalancerId } from '../clb/ids.ts';
import { createSerial } from '../serial.ts';

/** The ports of load balancers that Services share: taken by one Service at a time, so that the next sees what it has left. */
export class SharedPorts {
  readonly #serial = createSerial();
  readonly #taken = new Map<LoadBalancerId, number>();

  /** How many this process has taken so far. Who reads the listeners at one count knows them all for as long as it stays. */
  taken(id: LoadBalancerId): number {
    return this.#taken.get(id) ?? 0;
  }

  took(id: LoadBalancerId): void {
    this.#taken.set(id, this.taken(id) + 1);
  }

  /** Runs what may take ports while nobody else does. */
  alone<Result>(id: LoadBalancerId, signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    return this.#serial.run(id, signal, task);
  }
}
