import { Command, Option } from 'commander';
import { WELL_KNOWN } from '../annotation/well-known-names.ts';
import { EXIT } from '../base/exit-code.ts';
import { annotationSection, annotationsPage } from './annotations-page.ts';
import { LANGUAGES, languageOf, type Language, type LanguageName } from './language-texts.ts';
import { ANNOTATIONS, find, suggest, type Topic } from './lookup.ts';
import { topicsJson } from './json.ts';
import { layoutOf } from './terminal-layout.ts';
import { policyRuleOf, policyRuleText, type PolicyRule } from './policy-rule-name.ts';
import { RULES } from './rules.ts';
import { ruleSection } from './rules-page.ts';
import { listText, topicText, type Layout } from './text.ts';

type Format = 'text' | 'json' | 'markdown';

const everything = (): readonly Topic[] => [
  ...ANNOTATIONS,
  ...Object.values(WELL_KNOWN).map((mark) => ({ kind: 'mark', mark }) as const),
  ...RULES,
];

const WHOLE: Record<Format, (language: Language, layout: Layout) => string> = {
  text: listText,
  json: ({ translate }) => topicsJson(everything().map((topic) => translate(topic))),
  markdown: (language) => annotationsPage(language).trimEnd(),
};

const CHOSEN: Record<Format, (topics: readonly Topic[], language: Language, layout: Layout) => string> = {
  text: (topics, language, layout) => topics.map((topic) => topicText(topic, language, layout)).join('\n\n'),
  json: (topics, { translate }) => topicsJson(topics.map((topic) => translate(topic))),
  markdown: (topics, language, layout) => topics.map((topic) => markdownOf(topic, language, layout)).join('\n\n'),
};

function markdownOf(topic: Topic, language: Language, layout: Layout): string {
  if (topic.kind === 'annotation') return annotationSection(topic, language);
  return topic.kind === 'rule' ? ruleSection(topic, language) : topicText(topic, language, layout);
}

interface Flags {
  readonly output: Format;
  readonly policy: readonly string[];
  readonly lang: LanguageName;
}

/** Returns the explanation of a constraint, quota or policy. Without files, returns commands that show the policy of the cluster. */
async function explainPolicy(policyRule: PolicyRule, { output, policy: paths }: Flags, self: Command): Promise<string> {
  if (output === 'json') return JSON.stringify({ kind: 'policy', ...policyRule }, undefined, 2);
  if (paths.length === 0) return policyRuleText(policyRule);
  const [{ readSources }, { requirePolicies }, { policySummary }] = await Promise.all([
    import('../lint/read-sources.ts'),
    import('../lint/policy/read-policies.ts'),
    import('./policy-summary.ts'),
  ]);
  const text = policySummary(policyRule, requirePolicies(await readSources(paths, false)), layoutOf(self));
  const name = ['policy', policyRule.policy, policyRule.rule ?? []].flat().join('/');
  return text ?? self.error(`error: ${paths.join(', ')}: ${name} not found`, { exitCode: EXIT.failed });
}

async function explain(key: string | undefined, flags: Flags, self: Command): Promise<string> {
  const { output: format } = flags;
  const language = await languageOf(flags.lang);
  if (key === undefined) return WHOLE[format](language, layoutOf(self));
  const topics = find(key);
  if (topics.length > 0) return CHOSEN[format](topics, language, layoutOf(self));
  const policyRule = policyRuleOf(key);
  if (policyRule !== undefined) return explainPolicy(policyRule, flags, self);
  const near = suggest(key);
  const hint = near === undefined ? 'run portcullis explain to list all names' : `did you mean ${near}?`;
  return self.error(`error: unknown name ${JSON.stringify(key)}: ${hint}`, { exitCode: EXIT.failed });
}

/** Creates `portcullis explain`, which prints the documentation of a name in a denial or a manifest. */
export function command(): Command {
  return new Command('explain')
    .description('explain a rule, annotation, label, taint, tag or finalizer; without NAME, list all')
    .argument('[NAME]', 'name of a rule, current or deprecated key of an annotation, or short name such as bandwidth')
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'markdown']).default('text'),
    )
    .addOption(new Option('--lang <language>', 'language of the texts').choices(LANGUAGES).default('en'))
    .option(
      '--policy <file>',
      'file or folder of LoadBalancerPolicies (- for standard input) in which to look up policy/POLICY/NAME; can be repeated',
      (path: string, before: readonly string[]) => [...before, path],
      [],
    )
    .action(async (key: string | undefined, flags: Flags, self: Command) => {
      self.configureOutput().writeOut?.(`${await explain(key, flags, self)}\n`);
    });
}
