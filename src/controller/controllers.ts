import { list, near } from './flag-values.ts';

export const CONTROLLERS = ['service', 'node', 'route', 'inventory'] as const;
export type ControllerName = (typeof CONTROLLERS)[number];

/** Other programs' names for controllers; those that we do not have are left out, with a warning. */
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

/** The value of `--controllers`: names and aliases, `*` for all, `-name` for all but that one. */
export const controllers = list.transform((words, context): ReadonlySet<ControllerName> => {
  const chosen = new Set<ControllerName>(words.every((word) => word.startsWith('-')) ? CONTROLLERS : []);
  for (const word of words) {
    const bare = word.replace(/^-/, '');
    const name = controllerOf(bare);
    if (word === '*') for (const each of CONTROLLERS) chosen.add(each);
    else if (name === undefined) context.addIssue(`there is no controller ${bare}${near(bare, CONTROLLERS)}`);
    else if (name !== 'absent') chosen[word.startsWith('-') ? 'delete' : 'add'](name);
  }
  // The webhook judges by what the inventory says, whoever runs the Services.
  return words.includes('-inventory') ? chosen : chosen.add('inventory');
});

const wordsOf = (written: string): readonly string[] => written.split(',').map((word) => word.trim());

/** Whether a value of `--controllers` names this one, and does not only mean it by `*`. */
export const isNamed = (name: ControllerName, written: string): boolean =>
  wordsOf(written).some((word) => controllerOf(word) === name);

/** The names in a value of `--controllers` that are other programs' and that nothing here answers to. */
export const absentControllers = (written: string): readonly string[] =>
  wordsOf(written).filter((name) => ALIASES[name] === 'absent');
