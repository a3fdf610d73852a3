import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { collectionPath, objectPath } from '../../../src/kubernetes/api-paths.ts';
import {
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  NODES,
  objectKey,
  PODS,
  SERVICES,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
  type Service,
} from '../../../src/base/kubernetes-objects.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/custom-resources.ts';
import { callerOf } from '../simulator.ts';
import { inventoryOf, outdated } from './inventory.ts';
import type { Names } from './stable-values.ts';
import { healthCheckPort, keyed, nodeOf, portsOf, serviceOf, sliceOf, type Manifest } from './objects.ts';
import type { Stage, Verb } from './stage.ts';
import { SCENARIO } from './scenario-requests.ts';
import type { ScenarioWorld } from './world.ts';
import type { Written, WrittenService, WrittenStep } from './scenario-schema.ts';

const RESOURCES: readonly Resource[] = [SERVICES, ENDPOINT_SLICES, ENDPOINTS, NODES, PODS, LOAD_BALANCER_BINDINGS];
const INVENTORY = { apiVersion: 'portcullis.io/v1alpha1', kind: CLASSIC_LOAD_BALANCERS.kind };
const MERGE = 'merge-patch+json';
const APPLY = 'apply-patch+yaml';
const APPLIED_BY = '?fieldManager=person&force=true';

/** The user of a scenario, who changes the cluster and the cloud as each step states. */
export class ScenarioUser {
  readonly #stage: Stage;
  readonly #names: Names;
  readonly #world: ScenarioWorld;
  readonly #hasOwnNodes: boolean;
  /** Denials and warnings of the API server. */
  readonly heard: string[] = [];
  #inventory: ReturnType<typeof inventoryOf> = new Map();

  constructor(written: Written, names: Names, world: ScenarioWorld, stage: Stage) {
    this.#names = names;
    this.#world = world;
    this.#stage = stage;
    this.#hasOwnNodes = written.nodes !== undefined;
  }

  async cloud(step: WrittenStep): Promise<void> {
    const { simulator } = this.#world;
    if (step.cloudSettings !== undefined) simulator.changeSettings(step.cloudSettings);
    if (step.cloud !== undefined) this.#world.plant(this.#names.written(step.cloud));
    const { ok } = callerOf(simulator);
    for (const [action, parameters] of step.calls) {
      await this.#world.clock.complete(ok(action, this.#names.written(parameters)));
    }
    this.#world.observe();
  }

  /** Sets the faults for the controller. The plan of the step was computed before, without the faults. */
  faults({ faults }: WrittenStep): void {
    if (faults !== undefined) this.#world.simulator.faults(this.#names.written(faults));
  }

  async cluster(step: WrittenStep): Promise<void> {
    for (const [name, node] of Object.entries(step.nodes)) await this.apply(nodeOf(name, node, this.#names));
    for (const object of step.objects) await this.apply(this.#placed(object as unknown as Manifest));
    for (const [name, written] of Object.entries(step.pods)) await this.#slices(name, written, step);
    for (const service of step.services) await this.apply(serviceOf(service, this.#names));
    for (const [name, annotations] of Object.entries(step.annotate)) {
      await this.#patch(`Service/${name}`, { metadata: { annotations: keyed(annotations) } });
    }
    for (const [target, patch] of Object.entries(step.patch))
      await this.#patch(target, this.#withNodePorts(target, patch));
    for (const [target, status] of Object.entries(step.status)) await this.#patch(target, { status }, 'status');
    for (const target of step.delete) await this.#delete(target);
  }

  /** Applies an object as `kubectl apply` does, including the status of Nodes and Pods. */
  async apply(manifest: Manifest): Promise<void> {
    const { status, ...object } = this.#names.written(manifest);
    const resource = resourceOf(object.kind);
    const { namespace, name } = object.metadata;
    const key = objectKey(name, namespace);
    await this.#send('PATCH', resource, key, { type: APPLY, suffix: APPLIED_BY, body: object });
    if (status !== undefined)
      await this.#send('PATCH', resource, key, { type: MERGE, suffix: '/status', body: { status } });
  }

  /** Updates the inventory objects to the current state of the region. */
  async publishInventory(): Promise<void> {
    const services = this.#world.objects.ofKind(SERVICES.plural) as readonly Service[];
    const now = inventoryOf(this.#world.simulator, services, this.#world.protectedIds);
    const { written, removed } = outdated(now, this.#inventory);
    for (const [name, status] of written) {
      const key = objectKey(name);
      const object = { ...INVENTORY, metadata: { name, labels: { [SCENARIO]: this.#names.mark } }, status };
      await this.#send('PATCH', CLASSIC_LOAD_BALANCERS, key, { type: APPLY, suffix: APPLIED_BY, body: object });
    }
    for (const name of removed)
      await this.#send('DELETE', CLASSIC_LOAD_BALANCERS, objectKey(name), { type: 'json', suffix: '', body: {} });
    this.#inventory = now;
  }

  async #slices(target: string, written: WrittenStep['pods'][string], step: WrittenStep): Promise<void> {
    const [name = '', namespace = 'shop'] = target.split('/').toReversed();
    const key = objectKey(name, this.#names.unique(namespace));
    const applied = step.services.find((service) => service.name === name && service.namespace === namespace);
    const ports =
      applied === undefined
        ? (this.#service(key)?.spec?.ports ?? [])
        : portsOf(applied.ports, `${namespace}/${name}`, this.#names);
    const node = (each: string): string => this.#nodeName(each);
    for (const [part, endpoints] of (isParted(written) ? written : [written]).entries()) {
      await this.apply(sliceOf({ namespace, name, part, ports, endpoints }, this.#names, node));
    }
  }

  #nodeName(name: string): string {
    return this.#hasOwnNodes ? this.#names.unique(name) : name;
  }

  #service(key: ObjectKey): Service | undefined {
    return this.#world.objects.get(SERVICES.plural, key) as Service | undefined;
  }

  /** Returns an object with its namespace and the scenario's label. */
  #placed(object: Manifest): Manifest {
    const { namespace = 'shop', name, labels } = object.metadata;
    const isNamespaced = resourceOf(object.kind).namespaced;
    const text = JSON.stringify({
      ...object,
      metadata: {
        ...object.metadata,
        name: isNamespaced ? name : this.#names.unique(name),
        ...(isNamespaced ? { namespace: this.#names.unique(namespace) } : {}),
        labels: { ...labels, [SCENARIO]: this.#names.mark },
      },
    });
    return JSON.parse(text, (key, value: unknown) =>
      key === 'nodeName' ? this.#nodeName(String(value)) : value,
    ) as Manifest;
  }

  #keyOf(target: string): { readonly resource: Resource; readonly key: ObjectKey } {
    const [kind = '', ...place] = target.split('/');
    const resource = resourceOf(kind);
    const [name = '', namespace = 'shop'] = place.toReversed();
    if (resource.plural === LOAD_BALANCER_BINDINGS.plural) {
      const service = this.#service(objectKey(name, this.#names.unique(namespace)));
      return { resource, key: objectKey(service?.metadata.uid ?? '') };
    }
    const key = resource.namespaced
      ? objectKey(name, this.#names.unique(namespace))
      : objectKey(this.#names.unique(name));
    return { resource, key };
  }

  /** Replaces node ports in a patch by those of the scenario. */
  #withNodePorts(target: string, patch: object): object {
    const { spec } = patch as { readonly spec?: { readonly type?: string; readonly ports?: WrittenService['ports'] } };
    if (!target.startsWith('Service') || spec === undefined) return patch;
    const [name = '', namespace = 'shop'] = target.split('/').slice(1).toReversed();
    const service = `${namespace}/${name}`;
    const stored = this.#service(objectKey(name, this.#names.unique(namespace)));
    const requestedPorts = spec.ports ?? (spec.type === 'LoadBalancer' ? asWritten(stored) : undefined);
    const ports = requestedPorts === undefined ? {} : { ports: portsOf(requestedPorts, service, this.#names) };
    return { ...patch, spec: { ...spec, ...ports, ...healthCheckPort(spec, service, this.#names) } };
  }

  async #patch(target: string, patch: object, subresource?: 'status'): Promise<void> {
    const { resource, key } = this.#keyOf(target);
    const suffix = subresource === undefined ? '' : `/${subresource}`;
    await this.#send('PATCH', resource, key, { type: MERGE, suffix, body: this.#names.written(patch) });
  }

  async #delete(target: string): Promise<void> {
    const { resource, key } = this.#keyOf(target);
    await this.#send('DELETE', resource, key, { type: 'json', suffix: '', body: { gracePeriodSeconds: 0 } });
  }

  async #send(
    verb: Verb,
    resource: Resource,
    key: ObjectKey,
    { type, suffix, body }: { readonly type: string; readonly suffix: string; readonly body: object },
  ): Promise<void> {
    const answer = await this.#stage.ask(verb, objectPath(resource, key) + suffix, type, body);
    const annotations = answer.warnings.map((warning) => /^299 \S+ "(.*)"$/s.exec(warning)?.[1] ?? warning);
    for (const each of annotations) this.heard.push(`warning: ${each.replaceAll('\\"', '"')}`);
    if (answer.status >= 300) {
      this.heard.push(`refused: ${String(answer.body['message'])}`);
      return;
    }
    const object =
      'metadata' in answer.body && answer.body['kind'] !== 'Status'
        ? (answer.body as unknown as KubernetesObject)
        : undefined;
    const isDeleted = verb === 'DELETE' && (object?.metadata.finalizers ?? []).length === 0;
    if (resource.plural === SERVICES.plural && object !== undefined) this.#names.service(object as Service);
    this.#world.note('others', resource.plural, key, isDeleted ? undefined : object);
    await this.#world.clock.settle();
  }

  async namespaces(names: readonly string[], labels: Readonly<Record<string, string>>): Promise<void> {
    for (const name of names) {
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#names.unique(name), labels } };
      const { status, body } = await this.#stage.ask('POST', collectionPath(NAMESPACES), 'json', object);
      if (status >= 300) throw new Error(String(body['message']));
    }
  }
}

type Endpoints = WrittenStep['pods'][string];

/** Returns whether there are several slices. */
const isParted = (written: Endpoints): written is Extract<Endpoints, readonly (readonly unknown[])[]> =>
  written.some((part) => Array.isArray(part));

/** Returns the ports of a Service without node ports. */
const asWritten = (service: Service | undefined): WrittenService['ports'] =>
  (service?.spec?.ports ?? []).map(
    ({ nodePort: _nodePort, ...port }) => port as Exclude<WrittenService['ports'][number], number>,
  );

function resourceOf(kind: string): Resource {
  const found = RESOURCES.find((resource) => resource.kind === kind);
  if (found === undefined) throw new Error(`scenarios do not support the kind ${kind}`);
  return found;
}
