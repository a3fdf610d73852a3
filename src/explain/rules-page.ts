import type { Language } from './language-texts.ts';
import { examplesOf, factsOfRule, metricOf, RULES, type RuleTopic } from './rules.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Returns the section of a rule in Markdown. */
export function ruleSection(original: RuleTopic, language: Language): string {
  const topic = language.translate(original);
  const facts = factsOfRule(topic, language.rules).map(([heading, text]) =>
    text === metricOf(topic) ? `| ${heading} | \`${text}\` |` : `| ${heading} | ${cell(text)} |`,
  );
  const examples = examplesOf(topic, language.rules).map(
    ([heading, yaml]) => `${heading}${language.rulesPage.colon}\n\n\`\`\`yaml\n${yaml}\`\`\``,
  );
  return [`### ${topic.rule.name}`, topic.rule.doc, ['| | |', '| --- | --- |', ...facts].join('\n'), ...examples].join(
    '\n\n',
  );
}

const GROUPS = [
  ['safety', 'safety', undefined],
  ['services', 'hygiene', 'Service'],
  ['nodes', 'hygiene', 'Node'],
  ['lint', 'lint', undefined],
] as const;

function groupOf([group, tier, kind]: (typeof GROUPS)[number], language: Language): string {
  const topics = RULES.filter((topic) => topic.tier === tier && (kind === undefined || topic.rule.kind === kind));
  const { groups, fullStop } = language.rulesPage;
  return [
    `## ${groups[group]}`,
    `${capital(language.rules.tiers[tier])}${fullStop}`,
    ...topics.map((topic) => ruleSection(topic, language)),
  ].join('\n\n');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const link = ({ rule: { name } }: RuleTopic): string => `[\`${name}\`](#${name})`;

/** Returns the page `docs/reference/rules.md`. `make generate` writes the page, and `portcullis rules -o markdown` prints it. */
export function rulesPage(language: Language): string {
  const { introduction, count } = language.rulesPage;
  const list = `${count(RULES.length)}${RULES.map(link).join(' · ')}`;
  return `${[introduction, list, ...GROUPS.map((group) => groupOf(group, language))].join('\n\n')}\n`;
}
