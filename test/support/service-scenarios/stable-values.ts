import type { SimulatedRegion } from '../../../src/local/simulator/simulated-region.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { OWNER_TAG, ownerMark } from '../invariants/ownership.ts';

/** Returns the suffix that makes names unique, because scenarios share an API server. Reports omit the suffix. */
const markOf = (index: number): string => `t${String(index).padStart(3, '0')}`;
const FIRST_NODE_PORT = 20_000;
const NODE_PORTS_EACH = 60;
const SHOWN_FROM = 30_000;
const NAMESPACES = ['shop', 'team'];

/** Replaces values that differ in each run or scenario, so that a report can be compared with a golden file. */
export class Names {
  readonly mark: string;
  readonly #firstNodePort: number;
  /** Shown node port → node port at the API server. */
  readonly #nodePorts = new Map<number, number>();
  readonly #portKeys = new Map<string, number>();
  /** The text that differs in each run → text in reports. */
  readonly #ids = new Map<string, string>();
  readonly #owners = new Map<string, string>();

  constructor(index: number) {
    this.mark = markOf(index);
    this.#firstNodePort = FIRST_NODE_PORT + index * NODE_PORTS_EACH;
  }

  /** Returns a namespace or Node name as the API server has it. */
  unique(name: string): string {
    return `${name}-${this.mark}`;
  }

  /** Makes names in a user's input unique: load balancers, and namespaces in the names of groups and listeners. */
  written<Value>(value: Value): Value {
    if (typeof value === 'string') return this.#writtenText(value) as Value;
    if (Array.isArray(value)) return value.map((item: unknown) => this.written(item)) as Value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.written<unknown>(item)])) as Value;
  }

  #writtenText(value: string): string {
    return value
      .split(/(\$\{[^}]+\})/)
      .map((part) => (part.startsWith('${') ? this.id(part.slice(2, -1)) : this.#madeUnique(part)))
      .join('');
  }

  #madeUnique(value: string): string {
    return value
      .replace(/"Port":(\d+)/g, (_, port: string) => `"Port":${this.#portIn(port)}`)
      .replace(/\blb-[a-z0-9]+\b/g, (id) => `${id}${this.mark}`)
      .replace(/\bk8s\/([^/\s]+)\/([^/\s]+)\/([a-z]+)\//g, (whole, port: string, service: string, namespace: string) =>
        NAMESPACES.includes(namespace) ? `k8s/${this.#portIn(port)}/${service}/${this.unique(namespace)}/` : whole,
      );
  }

  #portIn(port: string): string {
    return String(this.#nodePorts.get(Number(port)) ?? port);
  }

  /** Returns the id behind a shown name, such as `lb-of-web`. */
  id(actual: string): string {
    const found = [...this.#ids].find(([, name]) => name === actual);
    if (found === undefined) throw new Error(`no shown name for ${actual}: ${[...this.#ids.values()].join(', ')}`);
    return found[0];
  }

  /** Returns the node port of a Service's port, which is equal in each call with the same `key`. */
  nodePort(key: string, port: number, wanted?: number): number {
    const shown = wanted ?? this.#portKeys.get(key) ?? this.#freeFrom(SHOWN_FROM + (port % 2_768));
    this.#portKeys.set(key, shown);
    const real = this.#nodePorts.get(shown) ?? this.#firstNodePort + this.#nodePorts.size;
    this.#nodePorts.set(shown, real);
    return real;
  }

  #freeFrom(port: number): number {
    return [...this.#portKeys.values()].includes(port) ? this.#freeFrom(port + 1) : port;
  }

  /** Records the UID of a Service and its derived names. */
  service({ metadata: { uid, name } }: Service): void {
    if (this.#ids.has(uid)) return;
    const once = this.#once(name);
    this.#owners.set(ownerMark(uid), once);
    this.#ids.set(uid, `uid-of-${once}`);
    this.#ids.set(ownerMark(uid), `mark-of-${once}`);
  }

  #once(name: string): string {
    const taken = new Set(this.#owners.values());
    let once = name;
    for (let n = 2; taken.has(once); n += 1) once = `${name}-${n}`;
    return once;
  }

  /** Records the ids that the cloud assigned. */
  cloud({ loadBalancers, serverGroups, domainExtensions, tags }: SimulatedRegion, planted: ReadonlySet<string>): void {
    for (const { id, address, name } of loadBalancers.rows()) {
      if (planted.has(id) || this.#ids.has(id)) continue;
      const owner = this.#owners.get(tags.of('instance', id)[OWNER_TAG] ?? name) ?? 'nobody';
      this.#give(id, `lb-of-${owner}`);
      this.#give(address, `address-of-${owner}`);
    }
    for (const { id, name } of serverGroups.rows()) if (!planted.has(id)) this.#give(id, `<${this.plain(name)}>`);
    for (const { id, domain } of domainExtensions.rows()) if (!planted.has(id)) this.#give(id, `<${domain}>`);
  }

  #give(id: string, name: string): void {
    if (this.#ids.has(id)) return;
    const taken = new Set(this.#ids.values());
    let unique = name;
    for (let n = 2; taken.has(unique); n += 1) unique = `${name}(${n})`;
    this.#ids.set(id, unique);
  }

  /** Replaces vSwitches named `any` by their order of use, which may depend on a UID. */
  #alternate(text: string): void {
    for (const [id] of text.matchAll(/\bvsw-any\d\b/g)) {
      if (this.#ids.has(id)) continue;
      const next = [...this.#ids.values()].includes('vsw-first') ? 'vsw-second' : 'vsw-first';
      this.#ids.set(id, next);
    }
  }

  /** Returns a text that is equal in every run. */
  plain(text: string): string {
    this.#alternate(text);
    let actual = text;
    for (const [from, to] of this.#ids) actual = actual.replaceAll(from, to);
    for (const [shown, real] of this.#nodePorts)
      actual = actual.replace(new RegExp(`(?<!\\d)${real}(?!\\d)`, 'g'), String(shown));
    return actual
      .replaceAll(`-${this.mark}`, '')
      .replaceAll(this.mark, '')
      .replace(/\b(?:[0-9a-f]{40}|[0-9a-f]{56})\b/g, '<digest>')
      .replace(/\b[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\b/g, '<request>');
  }
}
