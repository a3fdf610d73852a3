import type { ValueType } from '../annotation/value-type.ts';
import type { OptionName } from '../annotation/catalogue.ts';
import { WELL_KNOWN } from '../annotation/well-known-names.ts';
import type { Mutability } from '../annotation/option-definition.ts';
import type { Annotation, MarkTopic, Topic } from './lookup.ts';
import type { RuleTopic } from './rules.ts';

/** The texts of an annotation in another language. An optional text is set if the English entry of the catalogue has the text. */
export interface AnnotationTexts {
  readonly doc: string;
  /** The description of the allowed values. */
  readonly value?: string;
  readonly alsoMeans?: string;
  readonly absent?: string;
  /** The reason of the mutability. */
  readonly reason?: string;
  readonly since?: string;
}

/** The texts of a rule in another language. */
export interface RuleTexts {
  readonly doc: string;
  /** The description of the state of the cloud in the examples. */
  readonly cloud?: string;
}

/** The texts of a label, taint, tag, finalizer or condition in another language. */
export interface MarkTexts {
  readonly doc: string;
  readonly value: string;
}

/** All texts of topics in another language. */
export interface Translations {
  readonly annotations: Readonly<Record<OptionName, AnnotationTexts>>;
  readonly families: Readonly<Record<string, { readonly title: string }>>;
  readonly rules: Readonly<Record<string, RuleTexts>>;
  readonly marks: Readonly<Record<keyof typeof WELL_KNOWN, MarkTexts>>;
}

function valueIn(type: ValueType, { value, alsoMeans }: AnnotationTexts): ValueType {
  if (value !== undefined && (type.kind === 'text' || type.kind === 'list')) return { ...type, description: value };
  return alsoMeans !== undefined && type.kind === 'integer' ? { ...type, alsoMeans } : type;
}

const mutabilityIn = (mutability: Mutability, { reason }: AnnotationTexts): Mutability =>
  reason !== undefined && 'reason' in mutability ? { ...mutability, reason } : mutability;

function annotationIn(topic: Annotation, { annotations, families }: Translations): Annotation {
  const texts = annotations[topic.option];
  const { doc, absent, since } = texts;
  return {
    ...topic,
    family: families[topic.family]?.title ?? topic.family,
    entry: {
      ...topic.entry,
      doc,
      value: valueIn(topic.entry.value, texts),
      mutability: mutabilityIn(topic.entry.mutability, texts),
      ...(absent !== undefined && { absent }),
      ...(since !== undefined && { since }),
    },
  };
}

function ruleIn(topic: RuleTopic, { rules }: Translations): RuleTopic {
  const { rule } = topic;
  const texts = rules[rule.name];
  if (texts === undefined) return topic;
  const { cloud: cloudState, ...others } = rule.examples;
  const { doc, cloud: description } = texts;
  const examples =
    cloudState === undefined
      ? rule.examples
      : { ...others, cloud: { ...cloudState, description: description ?? cloudState.description } };
  return { ...topic, rule: { ...rule, doc, examples } };
}

const MARK_NAMES = new Map(Object.entries(WELL_KNOWN).map(([key, { name }]) => [name as string, key]));

function markIn(topic: MarkTopic, { marks }: Translations): MarkTopic {
  const texts = marks[MARK_NAMES.get(topic.mark.name) as keyof typeof WELL_KNOWN];
  return { ...topic, mark: { ...topic.mark, ...texts } };
}

/** Returns a function that replaces the English texts of a topic with their translations. Only languages other than English need the function. */
export const translator =
  (translations: Translations) =>
  <Any extends Topic>(topic: Any): Any => {
    const translated: Topic =
      topic.kind === 'annotation'
        ? annotationIn(topic, translations)
        : topic.kind === 'rule'
          ? ruleIn(topic, translations)
          : markIn(topic, translations);
    return translated as Any;
  };
