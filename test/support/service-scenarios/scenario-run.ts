import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import type { KubernetesObject, Pod, Service } from '../../../src/base/kubernetes-objects.ts';
import { keyOf } from '../../../src/base/kubernetes-objects.ts';
import { isManagedService } from '../../../src/controller/service/management.ts';
import { planService } from '../../../src/plan-command/service-plan.ts';
import type { JournalEntry } from '../../../src/local/simulator/simulator.ts';
import { diffText } from '../../../src/plan-command/diff-text.ts';
import type { ServicePlanReport } from '../../../src/plan-command/plan-summary.ts';
import type { History } from '../invariants/moment.ts';
import { Names } from './stable-values.ts';
import { nodeOf } from './objects.ts';
import { AWAY, type Stage } from './stage.ts';
import { ScenarioUser } from './user.ts';
import { isAppliedAsPlanned } from './planned-calls.ts';
import { bindingText, block, callTexts, eventTexts, podText, serviceText } from './text-blocks.ts';
import { ScenarioWorld } from './world.ts';
import { readScenario, type WrittenStep } from './scenario-schema.ts';

/** The result of a scenario. */
export interface Played {
  /** Plans, calls, events and published status of each step, without values that differ in each run. */
  readonly text: string;
  /** Complete history. */
  readonly history: History;
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000 };
const waitOf = ({ wait }: WrittenStep): number => Number.parseInt(wait, 10) * (UNITS[wait.slice(-1)] ?? 0);

const byKey = <Kind extends KubernetesObject>(objects: readonly Kind[]): readonly Kind[] =>
  objects.toSorted((left, right) => keyOf(left).localeCompare(keyOf(right)));

const keyOfBound = ({ spec: { service } }: LoadBalancerBinding): string =>
  `binding of ${service.namespace}/${service.name}`;

class Play {
  readonly #names: Names;
  readonly #world: ScenarioWorld;
  readonly #person: ScenarioUser;
  readonly #services = new Map<string, string>();
  readonly #bindings = new Map<string, string>();
  readonly #pods = new Map<string, string>();
  #seenCalls = 0;

  constructor(names: Names, world: ScenarioWorld, person: ScenarioUser) {
    this.#names = names;
    this.#world = world;
    this.#person = person;
  }

  async step(step: WrittenStep): Promise<string> {
    const { traffic, clock, events } = this.#world;
    if (step.controller === 'ends') await this.#world.end();
    traffic.pause();
    const before = { events: events.length, heard: this.#person.heard.length };
    if (step.controller === 'begins') await this.#world.begin();
    await this.#person.cloud(step);
    await this.#person.publishInventory();
    await this.#person.cluster(step);
    const plan = await this.#planned();
    this.#person.faults(step);
    traffic.release();
    await clock.advance(waitOf(step));
    const left = await this.#planned();
    const calls = this.#newCalls();
    return this.#names.plain(
      [
        `--- ${step.title}\n`,
        block(
          'told at once',
          this.#person.heard.slice(before.heard).flatMap((text) => text.split('\n')),
        ),
        block('plan', isAppliedAsPlanned(plan, calls) ? [] : this.#planText(plan)),
        block(
          'calls',
          callTexts(calls, (text) => this.#names.plain(text)),
        ),
        block(
          'events',
          eventTexts(events.slice(before.events), (text) => this.#names.plain(text)),
        ),
        block('status', this.#statuses()),
        block('left to do', this.#planText(left)),
      ].join(''),
    );
  }

  async #planned(): Promise<readonly ServicePlanReport[]> {
    const { planDeps, clock } = this.#world;
    if (planDeps === undefined) return [];
    const services = byKey([...planDeps.caches.services.values()].filter(isManagedService));
    const planned: ServicePlanReport[] = [];
    for (const service of services) {
      const plannedText = planService(service, planDeps, new AbortController().signal).then(
        (found) => ({ service: keyOf(service), assumedPorts: [], ...found }),
        (failure: unknown) => ({ service: keyOf(service), failure: failure as never }),
      );
      planned.push(await clock.complete(plannedText));
    }
    return planned;
  }

  #planText(planned: readonly ServicePlanReport[]): readonly string[] {
    return planned
      .map((each) => diffText([each]).trimEnd().split('\n'))
      .filter((lines) => lines.slice(1).join() !== '  no changes')
      .flat()
      .map((line) => this.#names.plain(line));
  }

  #newCalls(): readonly JournalEntry[] {
    const journal = this.#world.simulator.journal(this.#seenCalls);
    this.#seenCalls += journal.length;
    return journal.filter(({ userAgent }) => userAgent === 'portcullis');
  }

  /** Returns the statuses that changed since the previous step. */
  #statuses(): readonly string[] {
    const services = byKey(this.#world.objects.ofKind('services') as readonly Service[]).map(
      (service) => [keyOf(service), serviceText(service)] as const,
    );
    const pods = byKey(this.#world.objects.ofKind('pods') as readonly Pod[]).map(
      (pod) => [keyOf(pod), podText(pod)] as const,
    );
    const bindings = (this.#world.objects.ofKind(LOAD_BALANCER_BINDINGS.plural) as readonly LoadBalancerBinding[])
      .map((binding) => [keyOfBound(binding), bindingText(binding)] as const)
      .toSorted(([left], [right]) => left.localeCompare(right));
    return [
      ...changesOf(services, this.#services, 'gone'),
      ...changesOf(bindings, this.#bindings, 'gone'),
      ...changesOf(pods, this.#pods, 'gone'),
    ];
  }
}

/** Returns the new entries. `known` are the entries of earlier reports. */
function changesOf(
  now: readonly (readonly [string, string])[],
  known: Map<string, string>,
  removed: string,
): readonly string[] {
  const there = new Set(now.map(([key]) => key));
  const left = [...known.keys()].filter((key) => !there.has(key));
  const fresh = now.filter(([key, text]) => known.get(key) !== text).map(([, text]) => text);
  for (const key of left) known.delete(key);
  for (const [key, text] of now) known.set(key, text);
  return [...fresh, ...left.map((key) => `${key} is ${removed}`)];
}

/** Plays a scenario from its start, and returns its report for a golden file. `index` is unique among the scenarios of the stage. */
export async function playScenario(name: string, document: unknown, index: number, stage: Stage): Promise<Played> {
  const written = readScenario(name, document);
  const names = new Names(index);
  const world = new ScenarioWorld(written, names, stage, index + 1);
  const person = new ScenarioUser(written, names, world, stage);
  await person.namespaces(['shop', 'team'], written.webhook === 'away' ? { [AWAY]: 'true' } : {});
  for (const [node, writtenNode] of Object.entries(written.nodes ?? {}))
    await person.apply(nodeOf(node, writtenNode, names));
  const play = new Play(names, world, person);
  if (written.steps[0]?.controller !== 'begins') await world.begin();
  const parts: string[] = [`${written.title}\n`];
  try {
    for (const step of written.steps) parts.push(await play.step(step));
  } finally {
    await world.end();
  }
  return { text: parts.join('\n'), history: world.recorder.history };
}
