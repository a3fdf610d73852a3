import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { annotationsPage } from '../../src/explain/annotations-page.ts';
import { CHINESE } from '../../src/explain/chinese/chinese.ts';
import { ENGLISH } from '../../src/explain/english-texts.ts';
import { rulesPage } from '../../src/explain/rules-page.ts';
import { bindingFile, policyFile, type Policy } from './admission-policy/policy.ts';
import { SAFETY_POLICIES } from './admission-policy/safety.ts';
import { WITHOUT_WEBHOOK } from './admission-policy/without-webhook.ts';
import { CHART_FILES } from './chart/chart.ts';
import { commandLinePage } from './command-line-page.ts';
import { customResourcesPage } from './custom-resources-page.ts';
import { EDITOR_SCHEMAS, editorSchema } from './editor-schemas.ts';
import { exceptionDefinition, policyDefinition } from './policy-crds.ts';
import { planSchema } from './plan-schema.ts';
import { ramPolicy, taggedRamPolicy } from './ram-policy.ts';

/** A file generated from sources. */
export interface Generated {
  /** The path from the root of the repository. */
  readonly path: string;
  readonly content: () => string;
}

/** Returns the files of a policy and its binding. */
function filesOf(policy: Policy, folder: string): readonly Generated[] {
  const path = `${folder}/${policy.name.replace('portcullis-', '')}`;
  return [
    { path: `${path}.yaml`, content: () => policyFile(policy) },
    { path: `${path}-binding.yaml`, content: () => bindingFile(policy) },
  ];
}

/** Every generated file. `make generate` writes these files, and `make generated` compares them with their sources. */
export const GENERATED: readonly Generated[] = [
  { path: 'docs/reference/annotations.md', content: () => annotationsPage(ENGLISH) },
  { path: 'docs/reference/rules.md', content: () => rulesPage(ENGLISH) },
  { path: 'docs/zh/reference/annotations.md', content: () => annotationsPage(CHINESE) },
  { path: 'docs/zh/reference/rules.md', content: () => rulesPage(CHINESE) },
  { path: 'docs/reference/custom-resources.md', content: customResourcesPage },
  { path: 'docs/reference/command-line.md', content: commandLinePage },
  { path: 'docs/reference/plan.schema.json', content: planSchema },
  ...EDITOR_SCHEMAS.map((schema) => ({ path: schema.path, content: () => editorSchema(schema) })),
  { path: 'manifests/crds/load-balancer-policies.yaml', content: policyDefinition },
  { path: 'manifests/crds/load-balancer-exceptions.yaml', content: exceptionDefinition },
  ...SAFETY_POLICIES.flatMap((policy) => filesOf(policy, 'manifests/admission-policy')),
  ...WITHOUT_WEBHOOK.flatMap((policy) => filesOf(policy, 'manifests/without-webhook')),
  { path: 'manifests/ram/policy.json', content: ramPolicy },
  { path: 'manifests/ram/policy-tagged.json', content: taggedRamPolicy },
  ...CHART_FILES,
];

/** The command shown for a stale generated file. */
export const REFRESH = 'make generate';

const ROOT = join(import.meta.dirname, '..', '..');

function onDisk(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the generated files that are missing or differ from their sources. */
export const staleFiles = (): readonly string[] =>
  GENERATED.filter(({ path, content }) => onDisk(path) !== content()).map(({ path }) => path);

function check(): number {
  const stale = staleFiles();
  for (const path of stale) process.stderr.write(`${path} differs from its sources: run ${REFRESH}\n`);
  return stale.length === 0 ? 0 : 1;
}

/** Writes the stale files in their order: the chart is made from other generated files. */
function generate(): number {
  for (const { path, content } of GENERATED) {
    const text = content();
    const isStale = onDisk(path) !== text;
    if (isStale) {
      mkdirSync(dirname(join(ROOT, path)), { recursive: true });
      writeFileSync(join(ROOT, path), text);
    }
    process.stdout.write(`${isStale ? 'written' : 'fresh  '}  ${path}\n`);
  }
  return 0;
}

if (import.meta.main) {
  const [flag, ...rest] = process.argv.slice(2);
  if (rest.length > 0 || (flag !== undefined && flag !== '--check')) {
    process.stderr.write(`unknown argument ${[flag, ...rest].join(' ')}: only --check is known\n`);
    process.exitCode = 2;
  } else process.exitCode = flag === '--check' ? check() : generate();
}
