import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RuleCard } from '../rules/rule.ts';
import { NODE_RULES, SERVICE_RULES } from '../rules/index.ts';
import { VERSION } from '../version.ts';
import { fingerprint, hostPath, findingText } from './code-host-finding.ts';
import { CHECKS } from './lint-check-docs.ts';
import type { LintReport, LintFinding } from './lint.ts';

const RULES: readonly RuleCard[] = [...Object.values(CHECKS), ...SERVICE_RULES, ...NODE_RULES];

const helpOf = ({
  doc,
  examples: { wrong, right },
}: RuleCard): { readonly text: string; readonly markdown: string } => ({
  text: `${doc}\n\nWrong:\n\n${wrong}\nRight:\n\n${right}`,
  markdown: `${doc}\n\nWrong:\n\n\`\`\`yaml\n${wrong}\`\`\`\n\nRight:\n\n\`\`\`yaml\n${right}\`\`\``,
});

const descriptor = (rule: RuleCard): object => ({
  id: rule.name,
  name: rule.name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  shortDescription: { text: /^.*?[.:](?= |$)/.exec(rule.doc)?.[0].replace(/:$/, '.') ?? rule.doc },
  fullDescription: { text: rule.doc },
  help: helpOf(rule),
  defaultConfiguration: { level: 'error' },
});

/** Returns the URI of a file. The URI is relative to the working directory, unless the name is absolute. */
const uriOf = (file: string): string =>
  isAbsolute(file) ? pathToFileURL(file).href : hostPath(file).split('/').map(encodeURIComponent).join('/');

/** Returns the descriptor for a constraint, a quota or the defaults of a policy. */
const ofPolicy = (name: string): object => ({
  id: name,
  shortDescription: { text: `A requirement of LoadBalancerPolicy ${name.split('/')[1] ?? ''}.` },
  defaultConfiguration: { level: 'error' },
});

const resultOf = (finding: LintFinding, names: readonly string[]): object => ({
  ruleId: finding.rule,
  ruleIndex: names.indexOf(finding.rule),
  level: finding.level,
  message: { text: findingText(finding) },
  locations: [
    {
      physicalLocation: {
        artifactLocation: { uri: uriOf(finding.file) },
        region: {
          startLine: finding.range.line,
          startColumn: finding.range.column,
          endLine: finding.range.endLine,
          endColumn: finding.range.endColumn,
        },
      },
      ...(finding.object === '' ? {} : { logicalLocations: [{ fullyQualifiedName: finding.object, kind: 'object' }] }),
    },
  ],
  partialFingerprints: { 'portcullis/v1': fingerprint(finding) },
  ...(finding.reason === '' ? {} : { properties: { reason: finding.reason } }),
});

/** Returns the report as SARIF 2.1.0 for `lint -o sarif`. Code hosts show its findings next to the lines of a change. */
export function reportSarif({ findings, unread }: LintReport): string {
  const own = RULES.map(({ name }) => name);
  const others = [...new Set(findings.map(({ rule }) => rule))].filter((rule) => !own.includes(rule)).sort();
  const names = [...own, ...others];
  const rules = [...RULES.map(descriptor), ...others.map(ofPolicy)];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'portcullis', version: VERSION, rules } },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: unread.length === 0 }],
        results: findings.map((finding) => resultOf(finding, names)),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}
