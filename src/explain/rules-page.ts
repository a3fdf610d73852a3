import { examplesOf, factsOfRule, metricOf, RULES, TIERS, type RuleTopic } from './rules.ts';

const INTRODUCTION = `<!-- Generated from src/rules by \`make generate\`. Change the rules, not this page. -->

# Rules

The webhook evaluates these rules at \`kubectl apply\`, and the controller evaluates them again before it changes the cloud.
\`portcullis lint\` evaluates them without a cluster. \`portcullis explain RULE\` prints a section of this page. \`portcullis rules\` lists the rules.

How rules are applied:

- All rules are evaluated, and the response contains all violations. A violation states the field, its value, what must hold, and the remedy.
- Only new violations are denied. A violation that the stored object also has gets a warning. Every violation gets a warning if the update changes
  neither the spec nor annotations, unless the update adds the finalizer of the controller. Deletion is never denied.
- The registration of a Node, and a change of a Node by its kubelet or by the control plane, are never denied: these clients do not show a reason.
- Advice only warns, whatever a policy sets: the object works, but perhaps not as its author expects. If a change gives effect to a value that had no
  effect, a violation of that value is new.
- Some violations deny only the request, such as a list entry that names no port. The controller still syncs a stored Service with such a violation.
- If the inventory is too old, a load balancer that is not found gets a warning. A load balancer that is known to be protected is still denied.
- An example shows a part of a manifest. The other fields are those of any valid Service or Node.
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
  ['Safety rules', 'safety'],
  ['Rules for Services', 'hygiene', 'Service'],
  ['Rules for Nodes', 'hygiene', 'Node'],
  ['Additional checks of lint', 'lint'],
];

function groupOf([title, tier, kind]: (typeof GROUPS)[number]): string {
  const topics = RULES.filter((topic) => topic.tier === tier && (kind === undefined || topic.rule.kind === kind));
  return [`## ${title}`, `${capital(TIERS[tier])}.`, ...topics.map(ruleSection)].join('\n\n');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const link = ({ rule: { name } }: RuleTopic): string => `[\`${name}\`](#${name})`;

export const rulesPage = (): string =>
  `${[INTRODUCTION.trimEnd(), `${RULES.length} rules: ${RULES.map(link).join(' · ')}`, ...GROUPS.map(groupOf)].join('\n\n')}\n`;
