import type { Random } from './random.ts';
import { HOSTILE_TEXTS, PROTOTYPE_NAMES } from './values.ts';

type Container = Record<string, unknown> | unknown[];
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** The JSON of extreme values, by placeholder. Objects contain placeholders, because they cannot contain, for example, duplicate keys. */
const RAW: Readonly<Record<string, () => string>> = {
  '@deep-list@': () => `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  '@deep-map@': () => `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  '@long-list@': () => `[${'0,'.repeat(5_000)}null]`,
  '@wide-map@': () => `{${Array.from({ length: 3_000 }, (_, at) => `"k${at}":"v"`).join()}}`,
  '@long-text@': () => JSON.stringify('a,1:='.repeat(52_000)),
  '@huge-number@': () => '1e999',
  '@same-keys@': () => '{"a":1,"a":"two","__proto__":{"polluted":true},"\\u005f_proto__":null}',
};
const RARE = Object.keys(RAW) as [string, ...string[]];
const RAW_TEXT = /"(@[a-z-]+@)"/g;

/** Returns a value that can replace any other value. */
function someValue(random: Random): unknown {
  if (random.oneIn(150)) return random.pick(RARE);
  switch (random.below(12)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
      return random.pick([0, -1, 1.5, 65_536, 2 ** 53, -(2 ** 31), 1e308]);
    case 3:
      return [];
    case 4:
      return {};
    case 5:
      return [random.pick(HOSTILE_TEXTS), null, { a: [] }];
    case 6:
      return Object.fromEntries([[random.pick(PROTOTYPE_NAMES), random.pick([null, 'x', {}])]]);
    case 7:
      return Object.fromEntries([[random.pick(HOSTILE_TEXTS), random.pick(HOSTILE_TEXTS)]]);
    case 8:
      return { loadBalancer: { ingress: [{ ip: random.pick(HOSTILE_TEXTS) }, null] } };
    default:
      return random.pick(HOSTILE_TEXTS);
  }
}

/** Returns a random nested container, and one of its keys. */
function somewhere(random: Random, root: Container): readonly [Container, string] {
  let at: Container = root;
  for (;;) {
    const keys = Object.keys(at);
    const key = keys[random.below(keys.length)];
    if (key === undefined) return [at, random.pick(PROTOTYPE_NAMES)];
    const child: unknown = Reflect.get(at, key);
    if (!isContainer(child) || random.oneIn(6)) return [at, key];
    at = child;
  }
}

const define = (target: object, key: string, value: unknown): boolean =>
  Reflect.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });

/** Damages a random part of an object in place. Damaged reviews must neither crash nor block the webhook. */
export function corrupt(random: Random, root: object): void {
  const [container, key] = somewhere(random, root as Container);
  switch (random.below(5)) {
    case 0:
      Reflect.deleteProperty(container, key);
      return;
    case 1:
      define(
        container,
        Array.isArray(container) ? String(container.length) : random.pick(HOSTILE_TEXTS),
        someValue(random),
      );
      return;
    case 2:
      define(container, key, Object.hasOwn(container, key) ? [Reflect.get(container, key)] : []);
      return;
    default:
      define(container, key, someValue(random));
  }
}

/** Returns the object as JSON, with the placeholders replaced. */
export const textOf = (object: object): string =>
  JSON.stringify(object).replace(RAW_TEXT, (text, name: string) => RAW[name]?.() ?? text);

/** Changes, drops or duplicates some bytes of JSON. */
export function garble(random: Random, body: Buffer): Buffer {
  const garbled = Buffer.from(body);
  for (let left = 1 + random.below(4); left > 0; left--) garbled[random.below(garbled.length)] = random.below(256);
  const [from, to] = [random.below(garbled.length), random.below(garbled.length)];
  if (random.oneIn(4)) return garbled.subarray(0, from);
  return random.oneIn(4) ? Buffer.concat([garbled.subarray(0, from), garbled.subarray(to)]) : garbled;
}
