import { list, near } from './flag-values.ts';

/** The controllers that a process can run. The flag `--controllers` selects them at the start. */
export const CONTROLLERS = ['service', 'node', 'route', 'inventory'] as const;
export type ControllerName = (typeof CONTROLLERS)[number];

/** The names that other cloud controllers use in `--controllers`. A name of a controller that Portcullis does not have is ignored with a warning. */
const ALIASES: Readonly<Record<string, ControllerName | 'absent'>> = {
  'service-lb-controller': 'service',
  'cloud-node': 'node',
  'cloud-node-controller': 'node',
  'cloud-node-lifecycle': 'node',
  'cloud-node-lifecycle-controller': 'node',
  'node-route-controller': 'route',
  nlb: 'absent',
  ingress: 'absent',
  pvtz: 'absent',
};

const controllerOf = (word: string): ControllerName | 'absent' | undefined =>
  CONTROLLERS.find((known) => known === word) ?? ALIASES[word];

/** The two upstream controllers that the controller `node` replaces. Each of their names requests half of `node`. */
const HALVES = [
  ['cloud-node', 'cloud-node-controller'],
  ['cloud-node-lifecycle', 'cloud-node-lifecycle-controller'],
] as const;

const halvesIn = (words: readonly string[], sign: '' | '-') =>
  HALVES.filter((names) => names.some((name) => words.includes(`${sign}${name}`)));

/** Returns the controllers that a list of names selects. An empty list, or a list with only exclusions, starts from all controllers. */
function chosenBy(words: readonly string[]): Set<ControllerName> {
  const chosen = new Set<ControllerName>(words.every((word) => word.startsWith('-')) ? CONTROLLERS : []);
  for (const word of words) {
    const name = controllerOf(word.replace(/^-/, ''));
    if (word === '*') for (const each of CONTROLLERS) chosen.add(each);
    else if (name !== undefined && name !== 'absent') chosen[word.startsWith('-') ? 'delete' : 'add'](name);
  }
  return chosen;
}

/** Returns the name of a half of `node` that is excluded while the other half is included. */
function excludedHalf(words: readonly string[]): string | undefined {
  const [names, ...others] = halvesIn(words, '-');
  if (names === undefined || others.length > 0) return undefined;
  const [name, synonym] = names;
  const without = words.filter((word) => word !== `-${name}` && word !== `-${synonym}`);
  return chosenBy(without).has('node') ? name : undefined;
}

/** The reader of `--controllers`, a list of names and aliases. `*` includes all controllers; `-name` excludes a controller. */
export const controllers = list.transform((words, context): ReadonlySet<ControllerName> => {
  for (const word of words) {
    const bare = word.replace(/^-/, '');
    if (word !== '*' && controllerOf(bare) === undefined)
      context.addIssue(`there is no controller ${bare}${near(bare, CONTROLLERS)}`);
  }
  const half = excludedHalf(words);
  if (half !== undefined)
    context.addIssue(
      `${half} cannot be excluded alone, because the controller "node" does the work of cloud-node and cloud-node-lifecycle; exclude "node", or remove the permission to delete Nodes: events then name the Nodes that the controller would delete`,
    );
  const chosen = chosenBy(words);
  // The webhook needs the inventory even if another program manages Services, so only `-inventory` excludes the inventory.
  return words.includes('-inventory') ? chosen : chosen.add('inventory');
});

const wordsOf = (written: string): readonly string[] => written.split(',').map((word) => word.trim());

/** Returns whether a value of `--controllers` names a controller. `*` names no controller. */
export const isNamed = (name: ControllerName, written: string): boolean =>
  wordsOf(written).some((word) => controllerOf(word) === name);

/** Returns the names in a value of `--controllers` that only other programs know. */
export const absentControllers = (written: string): readonly string[] =>
  wordsOf(written).filter((name) => ALIASES[name] === 'absent');

/** Returns the name in a value of `--controllers` that requests only half of `node`; undefined if `node` is requested completely or not at all. */
export function halfNamed(written: string): string | undefined {
  const words = wordsOf(written);
  const [names, ...others] = halvesIn(words, '');
  return others.length > 0 || words.includes('*') || words.includes('node') ? undefined : names?.[0];
}
