import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** `type`: gone before the program runs. `value`: loaded with the file. `lazy`: loaded when a line of it is reached. */
export type ImportKind = 'type' | 'value' | 'lazy';

export interface Import {
  readonly kind: ImportKind;
  /** A path from the repository's root for one of our files, else the package's or built-in module's specifier. */
  readonly target: string;
}

/** What every TypeScript file under the given folders imports, by path from the repository's root; declarations alone are no part of a program. */
export function importGraph(root: string, folders: readonly string[]): ReadonlyMap<string, readonly Import[]> {
  const files = folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .filter((file) => !file.endsWith('.d.ts'))
    .sort();
  return new Map(files.map((file) => [file, importsOf(root, file)]));
}

/** Exported for its own test. */
export function importsOf(root: string, file: string): readonly Import[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: Import[] = [];
  const add = (kind: ImportKind, specifier: ts.Node | undefined): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const { text } = specifier;
    found.push({ kind, target: text.startsWith('.') ? normalize(join(dirname(file), text)) : text });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const isType = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      add(isType ? 'type' : 'value', node.moduleSpecifier);
    } else if (ts.isExportDeclaration(node)) add(node.isTypeOnly ? 'type' : 'value', node.moduleSpecifier);
    else if (ts.isImportTypeNode(node)) {
      add('type', ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add('lazy', node.arguments[0]);
    } else {
      if (namesFile(root, file, node)) found.push({ kind: 'lazy', target: normalize(join(dirname(file), node.text)) });
      ts.forEachChild(node, visit);
    }
  };
  visit(source);
  return found;
}

/** A worker's or a child's file, named from where it stands. */
const namesFile = (root: string, file: string, node: ts.Node): node is ts.StringLiteralLike =>
  ts.isStringLiteralLike(node) && /^[\w./-]+\.ts$/.test(node.text) && existsSync(join(root, dirname(file), node.text));

/** Everything that is loaded from `entries` on, files and packages; `lazy` decides whether lazily loaded files count. */
export function reachable(
  graph: ReadonlyMap<string, readonly Import[]>,
  entries: readonly string[],
  kinds: readonly ImportKind[],
): ReadonlySet<string> {
  const seen = new Set(entries);
  for (const file of seen) {
    for (const { kind, target } of graph.get(file) ?? []) if (kinds.includes(kind)) seen.add(target);
  }
  return seen;
}

/** The name of the package that a specifier belongs to: `@scope/name` or `name`; `node:` for what Node itself has. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
