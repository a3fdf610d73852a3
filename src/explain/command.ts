import { Command, Option } from 'commander';
import { MARKS } from '../annotation/marks.ts';
import { referencePage, sectionOf } from '../annotation/reference.ts';
import { ANNOTATIONS, find, suggest, type Topic } from './lookup.ts';
import { topicsJson } from './json.ts';
import { layoutOf } from './layout.ts';
import { policyRuleOf, policyRuleText } from './policy-rule.ts';
import { RULES } from './rules.ts';
import { ruleSection } from './rules-page.ts';
import { listText, topicText, type Layout } from './text.ts';

const USAGE = 2;

type Format = 'text' | 'json' | 'markdown';

const everything = (): readonly Topic[] => [
  ...ANNOTATIONS,
  ...Object.values(MARKS).map((mark) => ({ kind: 'mark', mark }) as const),
  ...RULES,
];

const WHOLE: Record<Format, (layout: Layout) => string> = {
  text: listText,
  json: () => topicsJson(everything()),
  markdown: () => referencePage().trimEnd(),
};

const CHOSEN: Record<Format, (topics: readonly Topic[], layout: Layout) => string> = {
  text: (topics, layout) => topics.map((topic) => topicText(topic, layout)).join('\n\n'),
  json: topicsJson,
  markdown: (topics, layout) => topics.map((topic) => markdownOf(topic, layout)).join('\n\n'),
};

function markdownOf(topic: Topic, layout: Layout): string {
  if (topic.kind === 'annotation') return sectionOf(topic.entry);
  return topic.kind === 'rule' ? ruleSection(topic) : topicText(topic, layout);
}

function explain(key: string | undefined, format: Format, self: Command): string {
  if (key === undefined) return WHOLE[format](layoutOf(self));
  const topics = find(key);
  if (topics.length > 0) return CHOSEN[format](topics, layoutOf(self));
  const own = policyRuleOf(key);
  if (own !== undefined) {
    return format === 'json' ? JSON.stringify({ kind: 'policy', ...own }, undefined, 2) : policyRuleText(own);
  }
  const near = suggest(key);
  const hint = near === undefined ? 'portcullis explain lists all' : `did you mean ${near}?`;
  return self.error(`error: nothing here is called ${JSON.stringify(key)}: ${hint}`, { exitCode: USAGE });
}

/** `portcullis explain`. */
export function command(): Command {
  return new Command('explain')
    .description('explain a rule, annotation, label, taint, tag or finalizer; without NAME, list them all')
    .argument('[NAME]', 'a rule as refusals name it, a current or deprecated key, or a short name such as bandwidth')
    .addOption(
      new Option('-o, --output <format>', 'how to print it').choices(['text', 'json', 'markdown']).default('text'),
    )
    .action((key: string | undefined, flags: { readonly output: Format }, self: Command) => {
      self.configureOutput().writeOut?.(`${explain(key, flags.output, self)}\n`);
    });
}
