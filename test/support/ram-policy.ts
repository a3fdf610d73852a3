import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { isWrite, type CloudOperation, type Product } from '../../src/alibaba/cloud-call-types.ts';
import { CLUSTER_TAG } from '../../src/clb/model/naming.ts';
import { operationOf, type SlbMethod } from '../../src/alibaba/slb/client.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Returns every node of a source file. */
function nodesOf(file: string): readonly ts.Node[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns the literal text of a property. Undefined if it is not a literal. */
function textOf(node: ts.Node, property: string): string | undefined {
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  for (const each of node.properties)
    if (ts.isPropertyAssignment(each) && each.name.getText() === property && ts.isStringLiteral(each.initializer))
      return each.initializer.text;
  return undefined;
}

/** Returns the methods of the SLB client. */
const slbMethods = (): readonly SlbMethod[] =>
  nodesOf('src/alibaba/slb/client.ts')
    .filter((node) => ts.isInterfaceDeclaration(node))
    .filter(({ name }) => name.text === 'SlbRequests')
    .flatMap(({ members }) => members.map((member) => member.name?.getText() as SlbMethod));

/** Returns the operations in a file: `{ product, version, action }`, or `operation('…')` with a `{ product, version }`. */
function operationsIn(file: string): readonly CloudOperation[] {
  const nodes = nodesOf(file);
  const declared = nodes.find((node) => textOf(node, 'product') !== undefined);
  if (declared === undefined) return [];
  const product = textOf(declared, 'product') as Product;
  const version = textOf(declared, 'version') ?? '';
  const named = nodes
    .filter((node) => ts.isCallExpression(node))
    .filter(({ expression }) => expression.getText() === 'operation')
    .flatMap(({ arguments: [action] }) => (action !== undefined && ts.isStringLiteral(action) ? action.text : []));
  const written = nodes.flatMap((node) => textOf(node, 'action') ?? []);
  return [...named, ...written].map((action) => ({ product, version, action }));
}

/** Returns every operation that the controller can call with its key and that needs a permission. */
const operations = (): readonly CloudOperation[] =>
  [
    ...slbMethods().map(operationOf),
    ...globSync('src/alibaba/**/*.ts', { cwd: ROOT }).toSorted().flatMap(operationsIn),
    // A call of STS needs no permission, because the role trusts the caller.
  ].filter(({ product }) => product !== 'Sts');

export interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: '*';
  readonly Condition?: { readonly StringEquals: Readonly<Record<string, readonly string[]>> };
}

/** Returns one statement for each product and kind of access, with reads first. */
function statements(): readonly Statement[] {
  const calls = operations();
  return [false, true].flatMap((writes) =>
    (['Slb', 'Ecs', 'Vpc'] as const).map((product) => {
      const own = calls.filter((each) => each.product === product && isWrite(each) === writes);
      const actions = new Set(own.map(({ action }) => `${product.toLowerCase()}:${action}`));
      return { Effect: 'Allow', Action: [...actions].toSorted(), Resource: '*' };
    }),
  );
}

const textOfPolicy = (parts: readonly Statement[]): string =>
  `${JSON.stringify({ Version: '1', Statement: parts }, null, 2)}\n`;

/** Returns the RAM policy with exactly the permissions that the controller needs. `make generate` writes it into manifests/ram. */
export const ramPolicy = (): string => textOfPolicy(statements());

const DELETION = 'slb:DeleteLoadBalancer';

/** Returns the policy that allows deleting only load balancers with the tag of this cluster. */
export const taggedRamPolicy = (): string =>
  textOfPolicy([
    ...statements().map((statement) => ({
      ...statement,
      Action: statement.Action.filter((action) => action !== DELETION),
    })),
    {
      Effect: 'Allow',
      Action: [DELETION],
      Resource: '*',
      Condition: { StringEquals: { [`slb:tag/${CLUSTER_TAG}`]: ['CLUSTER_ID'] } },
    },
  ]);
