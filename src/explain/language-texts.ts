import type { MarkKind, Mark } from '../annotation/well-known-names.ts';
import type { FactWords } from './annotation-facts.ts';
import type { Topic } from './lookup.ts';
import type { RuleWords } from './rules.ts';

/** The words of a language for the page of annotations. */
export interface AnnotationsPageWords {
  readonly introduction: string;
  readonly count: (annotations: number) => string;
  readonly otherNames: string;
  readonly deprecatedForms: string;
  readonly families: Readonly<Record<string, { readonly title: string; readonly doc: string }>>;
  /** The section about keys without effect. */
  readonly obsolete: string;
  readonly marks: { readonly title: string; readonly doc: string };
  readonly columns: readonly string[];
  readonly deprecatedMark: (replacement: string) => string;
}

/** The words of a language for the page of rules. */
export interface RulesPageWords {
  readonly introduction: string;
  readonly count: (rules: number) => string;
  readonly groups: Readonly<Record<'safety' | 'services' | 'nodes' | 'lint', string>>;
  readonly fullStop: string;
  readonly colon: string;
}

/** The words of a language for marks: labels, taints, tags, finalizers and conditions. */
export interface MarkWords {
  readonly kinds: Readonly<Record<MarkKind, string>>;
  readonly writers: Readonly<Record<Mark['writer'], string>>;
  readonly headings: Readonly<Record<'kind' | 'values' | 'writer' | 'since' | 'deprecated', string>>;
  readonly since: (release: string) => string;
  readonly use: (replacement: string) => string;
}

/** All texts of a language for `portcullis explain` and the reference pages. */
export interface Language {
  readonly facts: FactWords;
  readonly annotationsPage: AnnotationsPageWords;
  readonly rules: RuleWords;
  readonly rulesPage: RulesPageWords;
  readonly marks: MarkWords;
  /** Headings of the text format. */
  readonly text: Readonly<Record<'family' | 'option' | 'example' | 'rules', string>>;
  /** Headings of the table of rules. */
  readonly rulesTable: readonly [name: string, tier: string, kind: string, purpose: string];
  /** Returns the topic with its texts in the language. */
  readonly translate: <Any extends Topic>(topic: Any) => Any;
}

export const LANGUAGES = ['en', 'zh'] as const;
export type LanguageName = (typeof LANGUAGES)[number];

/** Loads the texts of only this language, which keeps the command fast. */
export async function languageOf(name: LanguageName): Promise<Language> {
  return name === 'en' ? (await import('./english-texts.ts')).ENGLISH : (await import('./chinese/chinese.ts')).CHINESE;
}
