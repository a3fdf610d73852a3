import { examplesOf, factsOfRule, metricOf, RULES, TIERS, type RuleTopic } from './rules.ts';

const INTRODUCTION = `<!-- Generated from src/rules by \`make generate\`. Change the rules, not this page. -->

# Rules

What the webhook denies or warns of at \`kubectl apply\`, the controller checks again before it writes to the cloud, and
\`portcullis lint\` says without a cluster. \`portcullis explain RULE\` prints any section of this page, \`portcullis rules\` lists them.

How rules are applied:

- All rules are asked, and all faults are told at once, each as a sentence: what was found, what is allowed, what to do.
- Only what is new denies. A fault that the stored object has as well is a warning, and so is everything on an update that
  changes neither spec nor annotations, unless our finalizer makes the Service ours by it. Deleting is never denied.
- A Node is denied neither on registration nor to kubelets and the control plane, which could not read why.
- Advice warns whatever the policy says: what is pointed out works, but not as its author may think. Where a
  change gives an effect to what had none, a fault in it is new.
- What only surprises, such as an entry of a list that names no port, denies a request and nothing else: the controller carries out
  what is stored all the same.
- When the inventory is old, that something was not found is a warning; what is known to be protected still denies.
- A part of a manifest in an example stands for a whole one: what it leaves out is that of any Service or Node.
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

const exampleOf = ([heading, yaml]: readonly [string, string]): string => `${heading}:\n\n\`\`\`yaml\n${yaml}\`\`\``;

export function ruleSection(topic: RuleTopic): string {
  const facts = factsOfRule(topic).map(([heading, text]) =>
    text === metricOf(topic) ? `| ${heading} | \`${text}\` |` : `| ${heading} | ${cell(text)} |`,
  );
  return [
    `### ${topic.rule.name}`,
    topic.rule.doc,
    ['| | |', '| --- | --- |', ...facts].join('\n'),
    ...examplesOf(topic).map(exampleOf),
  ].join('\n\n');
}

const GROUPS: readonly (readonly [title: string, tier: RuleTopic['tier'], kind?: string])[] = [
  ['Rules that protect others', 'safety'],
  ['Rules for Services', 'hygiene', 'Service'],
  ['Rules for Nodes', 'hygiene', 'Node'],
  ['What lint says besides', 'lint'],
];

function groupOf([title, tier, kind]: (typeof GROUPS)[number]): string {
  const topics = RULES.filter((topic) => topic.tier === tier && (kind === undefined || topic.rule.kind === kind));
  return [`## ${title}`, `${capital(TIERS[tier])}.`, ...topics.map(ruleSection)].join('\n\n');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const link = ({ rule: { name } }: RuleTopic): string => `[\`${name}\`](#${name})`;

export const rulesPage = (): string =>
  `${[INTRODUCTION.trimEnd(), `${RULES.length} rules: ${RULES.map(link).join(' · ')}`, ...GROUPS.map(groupOf)].join('\n\n')}\n`;
