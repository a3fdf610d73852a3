import { isAlias, isMap, isNode, isScalar, isSeq, type Document, type LineCounter, type Node, type Pair } from 'yaml';
import type { PathStep } from './field-path.ts';

/** The range of a finding, counted from 1. Columns count UTF-16 code units, and `endColumn` is after the last character. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

type Span = readonly [start: number, end: number];

/** Converts the offsets of a span into lines and columns. */
export function sourceRangeOf([start, end]: Span, lines: LineCounter): SourceRange {
  const from = lines.linePos(start);
  const to = lines.linePos(Math.max(end, start));
  // An empty text has no line.
  return { line: from.line || 1, column: from.col || 1, endLine: to.line || 1, endColumn: to.col || 1 };
}

/** Returns the target of an alias, or the node itself. */
export const resolved = (node: unknown, document: Document): unknown => (isAlias(node) ? node.resolve(document) : node);

const keyText = (pair: Pair): unknown => (isScalar(pair.key) ? (pair.key.source ?? pair.key.value) : pair.key);
const isMerge = (pair: Pair): boolean => keyText(pair) === '<<';

/** Returns the pair of a map with a key. If the key is repeated, returns the last pair, which takes effect. Follows merges. */
function pairOf(node: unknown, key: string, document: Document): Pair | undefined {
  if (!isMap(node)) return undefined;
  const own = node.items.findLast((pair) => keyText(pair) === key);
  if (own !== undefined) return own;
  for (const merge of node.items.filter(isMerge)) {
    const source = resolved(merge.value, document);
    for (const each of isSeq(source) ? source.items : [source]) {
      const found = pairOf(resolved(each, document), key, document);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

interface YamlNode {
  readonly value: unknown;
  readonly span: Span | undefined;
}

const spanOf = (node: unknown): Span | undefined =>
  isNode(node) && node.range ? [node.range[0], node.range[1]] : undefined;

/** Returns the span of a key and its value, if any. An alias counts as the value. */
function pairSpan(pair: Pair): Span | undefined {
  const key = spanOf(pair.key);
  const value = spanOf(pair.value);
  if (key === undefined) return value;
  return [key[0], value !== undefined && value[1] > key[1] ? value[1] : key[1]];
}

function follow(node: unknown, step: PathStep, document: Document): YamlNode | undefined {
  if (isSeq(node)) {
    const item =
      typeof step === 'number' ? node.items[step] : node.items.find((each) => isScalar(each) && each.value === step);
    return item === undefined ? undefined : { value: resolved(item, document), span: spanOf(item) };
  }
  const pair = pairOf(node, String(step), document);
  return pair === undefined ? undefined : { value: resolved(pair.value, document), span: pairSpan(pair) };
}

/** Returns the YAML node of a field path and its span. For a missing field, returns the nearest parent, with `exact` false. */
export function find(
  document: Document,
  from: Node,
  steps: readonly PathStep[],
): { readonly exact: boolean } & YamlNode {
  let found: YamlNode = { value: resolved(from, document), span: spanOf(from) };
  for (const step of steps) {
    const next = follow(found.value, step, document);
    if (next === undefined) return { ...found, exact: false };
    found = { value: next.value, span: next.span ?? found.span };
  }
  return { ...found, exact: true };
}
