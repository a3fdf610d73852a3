import type { CallWatcher, JournalEntry, Simulator } from '../../../src/local/simulator/simulator.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import type { ObjectWatcher, StoredChange, EmittedEvent } from '../kubernetes-double.ts';
import type { History, LoadBalancerPicture, Moment, Stored } from './moment.ts';
import { Services, targetOf } from './ownership.ts';
import { loadBalancerPicture, loadBalancersOf, liveRoutes, nodePicture, siblingsOf } from './cloud-snapshot.ts';

/** Records the moments of a cluster and a cloud in this process. Pass it to both at their creation, and then call `of`. */
export class Recorder implements CallWatcher, ObjectWatcher {
  readonly #moments: Moment[] = [];
  readonly #services = new Services();
  #simulator: Simulator | undefined;

  get history(): History {
    return this.#moments;
  }

  /** Sets the cloud to observe. */
  of(simulator: Simulator): void {
    this.#simulator = simulator;
  }

  /** Records the start of a controller process. */
  started(): void {
    this.#moments.push({ kind: 'started' });
  }

  arrived(call: JournalEntry): void {
    this.#moments.push({ kind: 'sent', call, ...this.#target(call) });
  }

  ended(call: JournalEntry): void {
    const { target } = this.#target(call);
    const siblings = this.#simulator === undefined ? undefined : siblingsOf(this.#simulator.world, call, target);
    this.#moments.push({
      kind: 'ended',
      call,
      ...(target === undefined ? {} : { target }),
      ...(siblings === undefined ? {} : { siblings }),
    });
  }

  stored(change: StoredChange): void {
    const now = this.#simulator?.time.now() ?? 0;
    const moment: Moment = { kind: 'stored', atMs: now, ...change, ...this.#concerned(change, now) };
    this.#moments.push(moment);
    this.#services.pass(moment);
  }

  onEvent(event: EmittedEvent): void {
    this.#moments.push({ kind: 'emitted', ...event });
  }

  #target(call: JournalEntry): { readonly target?: LoadBalancerPicture } {
    if (call.kind !== 'write' || this.#simulator === undefined) return {};
    const target = loadBalancerPicture(this.#simulator.world, targetOf(call), this.#simulator.time.now());
    return target === undefined ? {} : { target };
  }

  #concerned(
    { plural, before, after }: StoredChange,
    nowMs: number,
  ): Pick<Stored, 'loadBalancers' | 'elasticAddresses' | 'node'> {
    const object = after ?? before;
    const world = this.#simulator?.world;
    const nothing = { loadBalancers: [], elasticAddresses: [] };
    if (object === undefined || world === undefined) return nothing;
    if (plural === 'nodes') {
      const hasInstance = (id: string): boolean => world.instances.get(id) !== undefined;
      return { ...nothing, node: nodePicture({ hasInstance, routes: liveRoutes(world) }, object, nowMs) };
    }
    if (plural !== 'services') return nothing;
    return {
      loadBalancers: loadBalancersOf(world, object as Service, this.#services, nowMs),
      elasticAddresses: world.eips.rows().map(({ address }) => address),
    };
  }
}
