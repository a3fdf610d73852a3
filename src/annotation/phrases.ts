import type { AppliesTo, OptionDefinition, Mutability, OnReused, Relation } from './option-definition.ts';
import { allowedBy, choice } from './allowed-values.ts';
import type { Unit, ValueType } from './value-type.ts';

const ON_REUSED: Record<OnReused, string> = {
  applied: 'applied, as on an owned load balancer',
  'must-match': 'must equal the value of the load balancer',
  'if-overriding': 'applied only with force-override-listeners: "true"',
  ignored: 'no effect',
  only: 'only for a reused load balancer; no effect on an owned load balancer',
};

const SCOPE_PHRASES: Partial<Record<AppliesTo, string>> = {
  selection: 'the choice of the controller',
  'load-balancer': 'the load balancer',
  status: 'the status of the Service',
  listener: 'listeners of every protocol',
  'server-group': 'virtual server groups',
  backend: 'backends',
};

/** Returns the scope of an annotation in words. */
export function scopePhraseOf(entry: OptionDefinition): string {
  const protocols = protocolsOf(entry);
  if (protocols.length === 4) return 'listeners of every protocol';
  if (protocols.length > 0) return `${protocols.map((protocol) => protocol.toUpperCase()).join(', ')} listeners`;
  return entry.appliesTo.map((scope) => SCOPE_PHRASES[scope] ?? scope).join(', ');
}

/** Returns the protocols of the listeners that an annotation applies to. Empty if it is not limited to protocols. */
export const protocolsOf = (entry: OptionDefinition): readonly string[] =>
  entry.appliesTo.filter((scope) => scope.startsWith('listener:')).map((scope) => scope.slice('listener:'.length));

function changeOf(mutability: Mutability): string {
  switch (mutability.kind) {
    case 'create-only':
      return 'no: only at the creation of the load balancer; a later change is denied';
    case 'create-only-unchecked':
      return 'no: only at the creation of the load balancer; a later change has no effect';
    case 'updatable':
      return 'yes, in place';
    case 'updatable-if':
      return `yes, in place: ${mutability.reason}`;
    case 'recreates':
      return `yes, with an interruption: ${mutability.reason}`;
    case 'fixed':
      return `no: ${mutability.reason}`;
  }
}

const UNIT: Record<Unit, string> = { seconds: ' s', 'Mbit/s': ' Mbit/s', probes: '' };
const unitOf = (type: ValueType): string => (type.kind === 'integer' && type.unit ? UNIT[type.unit] : '');

/** Returns a value as in a manifest, with its unit. */
const shown = (type: ValueType, value: unknown): string =>
  `${Array.isArray(value) ? value.join(',') : String(value)}${unitOf(type)}`;

/** Returns the cloud's default as text: `2 s, on UDP listeners 5 s`. */
function cloudDefaultOf({ value, cloudDefault, cloudDefaultOn = {} }: OptionDefinition): string | undefined {
  if (cloudDefault === undefined) return undefined;
  const others = Object.entries(cloudDefaultOn).map(
    ([protocol, other]) => `, on ${protocol.toUpperCase()} listeners ${shown(value, other)}`,
  );
  return `${shown(value, cloudDefault)}${others.join('')}`;
}

/** Returns the effective value of an annotation that is unset at creation, in words. */
export function absenceOf(entry: OptionDefinition): string {
  const ours = entry.default === undefined ? entry.absent : shown(entry.value, entry.default);
  const cloud = cloudDefaultOf(entry);
  if (ours !== undefined) return cloud === undefined ? ours : `${ours} (the default of the cloud is ${cloud})`;
  return cloud === undefined ? 'no value is requested' : `no value is requested; the default of the cloud is ${cloud}`;
}

const CONSEQUENCE = {
  denied: 'otherwise denied',
  'no-effect': 'otherwise no effect',
  chosen: 'otherwise selected automatically',
};
const COLLISION = { denied: 'denied', 'no-effect': 'no effect', chosen: 'selected automatically' };

/** Returns a relation in words. `name` stands for the other option. */
function relationText(relation: Relation, name: string, outcome: string): string {
  const values = relation.values ? `: ${choice(relation.values)}` : '';
  const when = relation.when ? `when ${choice(relation.when)}: ` : '';
  const on = relation.on ? `, on ${choice(relation.on.map((protocol) => protocol.toUpperCase()))} listeners` : '';
  return `${when}${name}${values}${on} (${outcome})`;
}

/** Returns a text for each required option. */
export const requirementsOf = (entry: OptionDefinition, nameOf: (option: string) => string): readonly string[] =>
  (entry.requires ?? []).map((relation) =>
    relationText(relation, nameOf(relation.option), CONSEQUENCE[relation.otherwise]),
  );

/** Returns a text for each conflicting option. */
export const conflictsOf = (entry: OptionDefinition, nameOf: (option: string) => string): readonly string[] =>
  (entry.conflicts ?? []).map((relation) =>
    relationText(relation, nameOf(relation.option), COLLISION[relation.otherwise]),
  );

/** Returns the allowed values in words, with known values and limits to protocols. */
export function valuesOf(type: ValueType): string {
  const known = type.kind === 'text' && type.known ? `; known: ${type.known.join(', ')}` : '';
  const only = type.kind === 'enum' && type.only ? Object.entries(type.only) : [];
  const limits = only.map(([value, protocols]) => `; ${value} only on ${choice(protocols ?? [])}`).join('');
  const older = type.kind === 'enum' && type.older ? `; ${type.older.join(', ')} only on older load balancers` : '';
  const anyCase = 'anyCase' in type && type.anyCase ? ', in upper or lower case' : '';
  return `${allowedBy(type)}${anyCase}${known}${limits}${older}`;
}

/** Returns the first release. A release of the existing controller is named as such, to distinguish it from releases of Portcullis. */
const sinceOf = ({ since }: OptionDefinition): string =>
  since.startsWith('v') ? `${since} of the existing cloud controller` : since;

/** Returns the facts about an annotation as headings and texts, in the order of the reference page. */
export const factsOf = (
  entry: OptionDefinition,
  nameOf: (option: string) => string,
): readonly (readonly [string, string])[] => {
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['Values', [valuesOf(entry.value)]],
    ['Default', [absenceOf(entry)]],
    ['Applies to', [scopePhraseOf(entry)]],
    ['Can be changed', [changeOf(entry.mutability)]],
    ['On a reused load balancer', [ON_REUSED[entry.onReused]]],
    ['Requires', requirementsOf(entry, nameOf)],
    ['Conflicts with', conflictsOf(entry, nameOf)],
    ['Since', [sinceOf(entry)]],
  ];
  return facts.filter(([, texts]) => texts.length > 0).map(([heading, texts]) => [heading, texts.join('; ')]);
};
