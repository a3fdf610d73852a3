import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import { defaultOf } from '../../../src/annotation/default-lookup.ts';
import type { Protocol } from '../../../src/annotation/value-type.ts';
import { annotationField } from '../../../src/annotation/annotation-field-path.ts';
import { annotationCombination } from '../../../src/rules/annotation-combination.ts';
import { RELATED, type OptionRelation, type RelatedOption } from '../../../src/rules/engine/annotation-relations.ts';
import { literal } from './cel.ts';
import type { Validation } from './policy.ts';
import { wordsOf } from './service.ts';
import { messageExpression, shown } from './message-expression.ts';

/** A way to violate a relation: the value of the annotation, and the value of the other annotation (empty if unset). */
interface Case {
  readonly active: RelatedOption;
  readonly tie: OptionRelation;
  /** The value of the annotation. Undefined if any readable value violates the relation. */
  readonly own: string | undefined;
  readonly other: string;
}

function casesOf(active: RelatedOption, tie: OptionRelation): readonly Case[] {
  const { relation, isConflict, other: option } = tie;
  const { values } = relation;
  const others = isConflict
    ? (values ?? [])
    : values === undefined
      ? ['']
      : [...wordsOf(option).filter((word) => !values.includes(word)), ...(isDefaultWrong(tie) ? [''] : [])];
  return (relation.when ?? [undefined]).flatMap((own) => others.map((other) => ({ active, tie, own, other })));
}

/**
 * Returns whether the default of the other annotation violates the relation. The default of `instanceChargeType` does not, because the controller
 * creates a load balancer with a permitted value.
 */
function isDefaultWrong({ other, relation: { values = [] } }: OptionRelation): boolean {
  if (other === 'instanceChargeType') return false;
  const unsaid = defaultOf(other);
  return typeof unsaid === 'string' && !values.includes(unsaid);
}

const of = (option: OptionName): string => `variables.${option}`;
const amongst = (texts: readonly string[]): string => `[${texts.map(literal).join(', ')}]`;

/** Returns the protocols of the listeners that read the option. Empty if no listener reads the option. */
const protocolsOf = ({ entry }: RelatedOption): readonly Protocol[] =>
  entry.appliesTo.flatMap((place) =>
    place.startsWith('listener:') ? [place.slice('listener:'.length) as Protocol] : [],
  );

/** Returns the conditions under which the annotation is effective. */
function effectiveIf(active: RelatedOption): readonly string[] {
  const protocols = protocolsOf(active);
  return [
    ...(protocols.length === 0 ? [] : [`variables.protocols.exists(p, p in ${amongst(protocols)})`]),
    ...active.relations['no-effect'].map(({ other, isConflict, relation: { values } }) => {
      const isPresent = values === undefined ? `${of(other)} != ''` : `${of(other)} in ${amongst(values)}`;
      return isConflict ? `!(${isPresent})` : isPresent;
    }),
  ];
}

function validationOf({ active, tie, own, other }: Case): Validation {
  const isBroken = [
    own === undefined ? isRead(active) : `${of(active.option)} == ${literal(own)}`,
    `${of(tie.other)} == ${literal(other)}`,
    // If the annotation is unset, the load balancer keeps the value from its creation.
    ...(other === '' && tie.relation.values !== undefined ? ['!variables.isSettled'] : []),
    ...effectiveIf(active),
  ];
  // A violation of the stored object is allowed, in any spelling.
  const [field, was] = tie.isConflict ? [active.option, ''] : [tie.other, wasPresent(active.option, own)];
  const isOld = `variables.wasOurs && ${of(field)} == ${of(field)}Before${was}`;
  const example = own ?? active.entry.example;
  const sample = {
    [CATALOGUE[active.option].key]: example,
    ...(other === '' ? {} : { [CATALOGUE[tie.other].key]: other }),
    ...(protocolsOf(active).includes('tcp') ? {} : { [CATALOGUE.protocolPort.key]: 'http:80' }),
    ...Object.fromEntries(
      active.relations['no-effect'].flatMap(({ other: needed, isConflict, relation }) =>
        isConflict ? [] : [[CATALOGUE[needed].key, relation.values?.[0] ?? CATALOGUE[needed].example]],
      ),
    ),
  };
  return {
    expression: `!(${isBroken.join(' && ')}) || (${isOld})`,
    messageExpression: messageExpression(
      annotationCombination,
      annotationField(CATALOGUE[field].key),
      { annotations: sample },
      own === undefined ? { [example]: shown(of(active.option)) } : {},
    ),
  };
}

/** Returns the expression for a readable value, because an unreadable value violates no relation. */
function isRead({ option, entry }: RelatedOption): string {
  if (entry.value.kind === 'text' && entry.value.format === 'ipv4') return `isIP(${of(option)})`;
  throw new Error(`${option} has no expression in CEL for a readable value`);
}

const wasPresent = (option: OptionName, own: string | undefined): string =>
  own === undefined
    ? ` && ${of(option)}Before != ''`
    : ` && ${of(option)}Before.lowerAscii().trim() == ${literal(own.toLowerCase())}`;

/** Returns the denial of a scheduler that the protocol of a listener does not support. */
function misfit(scheduler: string, protocols: readonly Protocol[]): Validation {
  const others = `variables.protocols.filter(p, !(p in ${amongst(protocols)}))`;
  const sample = { [CATALOGUE.scheduler.key]: scheduler, [CATALOGUE.protocolPort.key]: 'http:80' };
  return {
    expression: `variables.scheduler != ${literal(scheduler)} || ${others}.size() == 0 || (variables.wasOurs && variables.schedulerBefore == variables.scheduler)`,
    messageExpression: messageExpression(
      annotationCombination,
      annotationField(CATALOGUE.scheduler.key),
      { annotations: sample },
      { 'the listener on port 80 is http': `'a listener is ' + ${others}[0]` },
    ),
  };
}

/** The checks of portcullis-annotation-combinations: every relation between annotations that the cloud or the controller enforces. */
export const COMBINATIONS: readonly Validation[] = [
  ...RELATED.flatMap((active) =>
    active.relations.denied.flatMap((tie) => casesOf(active, tie).map((one) => validationOf(one))),
  ),
  ...Object.entries(CATALOGUE.scheduler.value.only).map(([scheduler, protocols]) => misfit(scheduler, protocols)),
];

/** The options that the combinations read. */
export const COMBINED: readonly OptionName[] = [
  ...new Set<OptionName>([
    'scheduler',
    ...RELATED.filter(({ relations: relation }) => relation.denied.length > 0).flatMap(
      ({ option, relations: relation }) => [
        option,
        ...[...relation.denied, ...relation['no-effect']].map(({ other }) => other),
      ],
    ),
  ]),
];
