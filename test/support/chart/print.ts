import { stringify } from 'yaml';
import { expressionOfAny, isSet, type Conjunction, type Literal } from './condition.ts';
import type { Branch, Further, Node, Slot } from './template-node.ts';

const STEP = 2;

/** A node with the conditions under which it exists. */
interface Variant {
  readonly when: Conjunction;
  readonly node: Node;
}

/** Returns the variants of a slot, in the order in which the template tests them. Their conditions exclude the removals before them. */
function variantsOf({ choices }: Slot): readonly Variant[] {
  const removals: Literal[] = [];
  const variants: Variant[] = [];
  for (const { when, node } of choices) {
    if (node === undefined && when !== undefined) removals.push({ condition: when, isNegated: true });
    if (node === undefined) continue;
    const own: Conjunction = when === undefined ? [] : [{ condition: when, isNegated: false }];
    for (const inner of existence(node)) variants.push({ when: [...removals, ...own, ...inner], node });
  }
  return variants;
}

const slotsOf = (node: Branch): readonly Slot[] => (node.kind === 'map' ? [...node.members.values()] : node.items);

/** Returns the alternatives under which a node is printed. An empty map or list is printed only if it is empty under all conditions. */
function existence(node: Node): readonly Conjunction[] {
  if (node.kind === 'scalar' || node.kind === 'text') return [[]];
  const { further } = node;
  const alternatives = slotsOf(node).flatMap((slot) => variantsOf(slot).map(({ when }) => when));
  if (further?.isRequired === true) return [[]];
  if (further !== undefined) alternatives.push([{ condition: isSet(further.path), isNegated: false }]);
  const isAlways = alternatives.length === 0 || expressionOfAny(alternatives) === undefined;
  return isAlways ? [[]] : alternatives;
}

/** The indentation of lines, and the expressions of the conditions around them. */
interface Position {
  readonly indent: number;
  readonly within: ReadonlySet<string>;
}

const deeper = ({ indent, within }: Position): Position => ({ indent: indent + STEP, within });
const padded = (indent: number, line: string): string => (line === '' ? '' : ' '.repeat(indent) + line);
/** Prints text that contains template delimiters as such, for example a template of Prometheus. */
const escaped = (text: string): string => text.replaceAll('{{', '{{ "{{" }}');
const control = ({ indent }: Position, action: string): string => padded(indent, `{{- ${action} }}`);

type LinesOf = (node: Node, position: Position) => readonly string[];

/** Returns the lines of a slot, in the conditions under which each variant exists. */
function slotLines(slot: Slot, position: Position, lines: LinesOf): readonly string[] {
  const printed: string[] = [];
  for (const [node, variants] of Map.groupBy(variantsOf(slot), (variant) => variant.node)) {
    const expression = expressionOfAny(variants.map(({ when }) => when));
    const isFirst = printed.length === 0;
    if (isFirst && (expression === undefined || position.within.has(expression))) return lines(node, position);
    const branch = expression === undefined ? 'else' : `${isFirst ? '' : 'else '}if ${expression}`;
    const within = new Set([...position.within, ...(expression === undefined ? [] : [expression])]);
    printed.push(control(position, branch), ...lines(node, { ...position, within }));
  }
  return printed.length === 0 ? [] : [...printed, control(position, 'end')];
}

/** Joins neighbouring blocks that have the same single condition. */
function joined(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  const open: { readonly line: string; isSingle: boolean }[] = [];
  let closed: string | undefined;
  for (const line of lines) {
    const [, action] = /^ *\{\{- (if|with|else|end)\b/.exec(line) ?? [];
    const isContinued = action === 'if' && line === closed;
    if (isContinued) kept.pop();
    else kept.push(line);
    closed = undefined;
    if (action === 'if' || action === 'with') open.push({ line, isSingle: action === 'if' });
    const last = open.at(-1);
    if (action === 'else' && last !== undefined) last.isSingle = false;
    if (action === 'end' && open.pop()?.isSingle === true) closed = last?.line;
  }
  return kept;
}

/** Returns the plain value of a node. Returns undefined if a part of it depends on values of the chart. */
function plain(node: Node): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'text' || node.further !== undefined) return undefined;
  const values = slotsOf(node).map(({ choices: [only, ...others] }) =>
    others.length === 0 && only?.when === undefined && only?.node !== undefined ? plain(only.node) : undefined,
  );
  if (values.includes(undefined)) return undefined;
  return node.kind === 'list'
    ? values
    : Object.fromEntries([...node.members.keys()].map((key, at) => [key, values[at]]));
}

const yamlLines = (value: unknown, { indent }: Position): readonly string[] =>
  escaped(stringify(value, { version: '1.1', lineWidth: 0 }).trimEnd())
    .split('\n')
    .map((line) => padded(indent, line));

/** Returns the lines of a map or list. */
function branchLines(node: Branch, position: Position): readonly string[] {
  const value = plain(node);
  if (value !== undefined) return yamlLines(value, position);
  const lines =
    node.kind === 'map'
      ? [...node.members].flatMap(([key, slot]) => slotLines(slot, position, memberLines(key)))
      : node.items.flatMap((slot) => slotLines(slot, position, itemLines));
  return node.further === undefined ? lines : [...lines, ...furtherLines(node.further, position)];
}

function furtherLines({ path, isRequired }: Further, position: Position): readonly string[] {
  const value = isSet(path).expression;
  const lines = (from: string): string => control(position, `toYaml ${from} | nindent ${position.indent}`);
  if (isRequired || position.within.has(value)) return [lines(value)];
  return [control(position, `with ${value}`), lines('.'), control(position, 'end')];
}

const memberLines =
  (key: string): LinesOf =>
  (node, position) => {
    const value = plain(node);
    if (value !== undefined) return yamlLines({ [key]: value }, position);
    if (node.kind === 'text') return [padded(position.indent, `${key}: ${node.text}`)];
    return [padded(position.indent, `${key}:`), ...branchLines(node as Branch, deeper(position))];
  };

const itemLines: LinesOf = (node, position) => {
  const value = plain(node);
  if (value !== undefined) return yamlLines([value], position);
  if (node.kind === 'text') return [padded(position.indent, `- ${node.text}`)];
  const [first = '', ...rest] = branchLines(node as Branch, deeper(position));
  if (first.includes('{{-')) throw new Error(`the first member of a list item depends on a value: ${first}`);
  return [padded(position.indent, `- ${first.trimStart()}`), ...rest];
};

/** Returns the template of an object, in the conditions under which the object exists. chart.ts calls it for each manifest. */
export function printTemplate(object: Slot): string {
  const start: Position = { indent: 0, within: new Set() };
  const documents = slotLines(object, start, (node, position) => ['---', ...branchLines(node as Branch, position)]);
  return `${joined(documents).join('\n')}\n`;
}
