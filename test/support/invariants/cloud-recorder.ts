import type { CallWatcher, JournalEntry, Simulator } from '../../../src/local/simulator/simulator.ts';
import type { SimulatedRegion } from '../../../src/local/simulator/simulated-region.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import type { StoredChange } from '../kubernetes-double.ts';
import type { Ended, LoadBalancerPicture, Sent, Stored } from './moment.ts';
import { targetOf, type Services } from './ownership.ts';
import {
  isConcerned,
  loadBalancerPicture,
  nodePicture,
  pictureOf,
  routesOf,
  siblingsOf,
  type RoutePicture,
} from './cloud-snapshot.ts';
import { PreciseClock } from './precise-clock.ts';

/** The state of the cloud at one instant. */
export interface CloudView {
  /** Milliseconds since the epoch with a fraction, by the clock of this machine. */
  readonly atMs: number;
  /** Milliseconds since the epoch, by the clock of the cloud. */
  readonly cloudMs: number;
  readonly loadBalancers: ReadonlyMap<string, LoadBalancerPicture>;
  readonly elasticAddresses: readonly string[];
  readonly instanceIds: ReadonlySet<string>;
  readonly routes: readonly RoutePicture[];
}

/** A call, and the state of the cloud at its arrival or end. */
export interface RecordedCall {
  readonly moment: Sent | Ended;
  /** Milliseconds since the epoch with a fraction, by the clock of this machine. */
  readonly atMs: number;
  /** Undefined for a cloud whose state is not accessible. */
  readonly view?: CloudView;
}

const NOTHING: CloudView = {
  atMs: 0,
  cloudMs: 0,
  loadBalancers: new Map(),
  elasticAddresses: [],
  instanceIds: new Set(),
  routes: [],
};

/** Returns new pictures of all load balancers after a seed or a manual removal, or else of the load balancer of the call. */
function pictures(
  { loadBalancers: before }: CloudView,
  world: SimulatedRegion,
  about: string | undefined,
  nowMs: number,
): CloudView['loadBalancers'] {
  const rows = world.loadBalancers.rows();
  const others = rows.filter(({ id }) => id !== about);
  const known = before.size - (about !== undefined && before.has(about) ? 1 : 0);
  const isKnown = others.length === known && others.every(({ id }) => before.has(id));
  if (!isKnown) return new Map(rows.map((row) => [row.id, pictureOf(world, row, nowMs)]));
  if (about === undefined) return before;
  const after = new Map(before);
  const picture = loadBalancerPicture(world, about, nowMs);
  if (picture === undefined) after.delete(about);
  else after.set(about, picture);
  return after;
}

/** Records every call of a cloud in this process, with the state of the cloud. */
export class CloudRecorder implements CallWatcher {
  readonly calls: RecordedCall[] = [];
  readonly #clock = new PreciseClock();
  #simulator: Simulator | undefined;
  #view = NOTHING;

  /** Sets the cloud to observe. */
  of(simulator: Simulator): void {
    this.#simulator = simulator;
    this.#observe(undefined);
  }

  arrived(call: JournalEntry): void {
    const about = call.kind === 'write' ? targetOf(call) : undefined;
    const view = this.#observe(about);
    const target = about === undefined ? undefined : view.loadBalancers.get(about);
    this.calls.push({
      moment: { kind: 'sent', call, ...(target === undefined ? {} : { target }) },
      atMs: view.atMs,
      view,
    });
  }

  ended(call: JournalEntry): void {
    const about = call.kind === 'write' ? targetOf(call) : undefined;
    const view = this.#observe(about);
    const target = about === undefined ? undefined : view.loadBalancers.get(about);
    const siblings = this.#simulator === undefined ? undefined : siblingsOf(this.#simulator.world, call, target);
    const found = { ...(target === undefined ? {} : { target }), ...(siblings === undefined ? {} : { siblings }) };
    this.calls.push({ moment: { kind: 'ended', call, ...found }, atMs: view.atMs, view });
  }

  #observe(about: string | undefined): CloudView {
    if (this.#simulator === undefined) return this.#view;
    const { world, time } = this.#simulator;
    const cloudMs = time.now();
    this.#view = {
      atMs: this.#clock.now(),
      cloudMs,
      loadBalancers: pictures(this.#view, world, about, cloudMs),
      elasticAddresses: world.eips.rows().map(({ address }) => address),
      instanceIds: new Set(world.instances.rows().map(({ id }) => id)),
      routes: routesOf(world),
    };
    return this.#view;
  }
}

/** Returns the parts of the cloud that a change of an object concerns, by the Services known until then. */
export function concernedIn(
  view: CloudView,
  { plural, before, after }: StoredChange,
  services: Services,
  nowMs: number,
): Pick<Stored, 'loadBalancers' | 'elasticAddresses' | 'node'> {
  const object = after ?? before;
  const { elasticAddresses } = view;
  if (object === undefined) return { loadBalancers: [], elasticAddresses };
  if (plural === 'nodes') {
    const { instanceIds, routes } = view;
    const node = nodePicture({ hasInstance: (id) => instanceIds.has(id), routes }, object, nowMs);
    return { loadBalancers: [], elasticAddresses, node };
  }
  if (plural !== 'services') return { loadBalancers: [], elasticAddresses };
  const service = object as Service;
  const concerns = isConcerned(service, services.namedBy(service));
  return { loadBalancers: [...view.loadBalancers.values()].filter(concerns), elasticAddresses };
}
