import { list, near } from './flag-values.ts';

export const CONTROLLERS = ['service', 'node', 'route', 'inventory'] as const;
export type ControllerName = (typeof CONTROLLERS)[number];

/** The names of controllers in other programs. Controllers that Portcullis does not have are ignored with a warning. */
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

/** The halves of the controller `node`. Upstream splits this controller into two; each name requests half of it. */
const HALVES = [
  ['cloud-node', 'cloud-node-controller'],
  ['cloud-node-lifecycle', 'cloud-node-lifecycle-controller'],
] as const;

const halvesIn = (words: readonly string[], sign: '' | '-') =>
  HALVES.filter((names) => names.some((name) => words.includes(`${sign}${name}`)));

function chosenBy(words: readonly string[]): Set<ControllerName> {
  const chosen = new Set<ControllerName>(words.every((word) => word.startsWith('-')) ? CONTROLLERS : []);
  for (const word of words) {
    const name = controllerOf(word.replace(/^-/, ''));
    if (word === '*') for (const each of CONTROLLERS) chosen.add(each);
    else if (name !== undefined && name !== 'absent') chosen[word.startsWith('-') ? 'delete' : 'add'](name);
  }
  return chosen;
}

/** Returns the name of the half that is excluded while the other half is included. */
function excludedHalf(words: readonly string[]): string | undefined {
  const [names, ...others] = halvesIn(words, '-');
  if (names === undefined || others.length > 0) return undefined;
  const [name, synonym] = names;
  const without = words.filter((word) => word !== `-${name}` && word !== `-${synonym}`);
  return chosenBy(without).has('node') ? name : undefined;
}

/** The value of `--controllers`: names and aliases. `*` includes all; `-name` excludes a controller. */
export const controllers = list.transform((words, context): ReadonlySet<ControllerName> => {
  for (const word of words) {
    const bare = word.replace(/^-/, '');
    if (word !== '*' && controllerOf(bare) === undefined)
      context.addIssue(`there is no controller ${bare}${near(bare, CONTROLLERS)}`);
  }
  const half = excludedHalf(words);
  if (half !== undefined)
    context.addIssue(
      `${half} cannot be excluded alone, because the controller node includes cloud-node and cloud-node-lifecycle; exclude node, or remove the permission to delete Nodes: events then name the Nodes that the controller would delete`,
    );
  const chosen = chosenBy(words);
  // The webhook evaluates with the inventory, even if another controller manages Services.
  return words.includes('-inventory') ? chosen : chosen.add('inventory');
});

const wordsOf = (written: string): readonly string[] => written.split(',').map((word) => word.trim());

/** Returns whether a value of `--controllers` contains the name of a controller. `*` does not count. */
export const isNamed = (name: ControllerName, written: string): boolean =>
  wordsOf(written).some((word) => controllerOf(word) === name);

/** Returns the names in a value of `--controllers` of controllers that only other programs have. */
export const absentControllers = (written: string): readonly string[] =>
  wordsOf(written).filter((name) => ALIASES[name] === 'absent');

/** Returns the name in a value of `--controllers` that requests only half of the controller `node`. */
export function halfNamed(written: string): string | undefined {
  const words = wordsOf(written);
  const [names, ...others] = halvesIn(words, '');
  return others.length > 0 || words.includes('*') || words.includes('node') ? undefined : names?.[0];
}
