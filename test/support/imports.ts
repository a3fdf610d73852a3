import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Kind of an import. `type` is erased, `value` is loaded with the file, and `lazy` is loaded when its line runs. */
export type ImportKind = 'type' | 'value' | 'lazy';

export interface Import {
  readonly kind: ImportKind;
  /** The path from the root of the repository, or the specifier of a package or built-in module. */
  readonly target: string;
}

/** Returns the imports of every TypeScript file under the folders, by path from the root, without declarations. architecture.test.ts checks them. */
export function importGraph(root: string, folders: readonly string[]): ReadonlyMap<string, readonly Import[]> {
  const files = folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .filter((file) => !file.endsWith('.d.ts'))
    .sort();
  return new Map(files.map((file) => [file, importsOf(root, file)]));
}

/** Returns the imports of a file. */
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

/** Returns whether a node names the file of a worker or a child process, relative to the file. */
const namesFile = (root: string, file: string, node: ts.Node): node is ts.StringLiteralLike =>
  ts.isStringLiteralLike(node) && /^[\w./-]+\.ts$/.test(node.text) && existsSync(join(root, dirname(file), node.text));

/** Returns the files and packages that `entries` reach by imports of these kinds. */
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

/** Returns the package of a specifier: `@scope/name`, `name`, or `node:` for built-in modules. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
