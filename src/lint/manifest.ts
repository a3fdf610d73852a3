import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
  type Tags,
  type YAMLMap,
} from 'yaml';
import { stepsOf } from './field-path.ts';
import { find, sourceRangeOf, resolved, type SourceRange } from './source-range.ts';
import { syntaxProblemsOf, TOO_DEEP, valueProblem, type SyntaxProblem } from './syntax-problems.ts';

/** An object from a file or a cluster, with a function that finds the lines of its fields. */
export interface Manifest {
  readonly kind: string;
  /** The object as the user wrote it, with the type that an item takes from its list. Its fields are not checked. */
  readonly object: unknown;
  /** Returns the source range of a field. For a missing field, returns the first line of the nearest parent. */
  readonly locate: (path: string) => SourceRange;
  /** Returns the text of a scalar as the user wrote it, without quotes. Returns undefined if the path leads to no scalar. */
  readonly source: (path: string) => string | undefined;
}

/** The reason why a part of a file cannot be read. */
export interface Unreadable {
  readonly range: SourceRange;
  readonly what: string;
  /** True if the rest of the file can still be evaluated. */
  readonly isSlight?: true;
}

/** The objects of a file, and its unreadable parts. */
export interface ParsedFile {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly Unreadable[];
}

/** A filter for the kinds of objects to read. All other objects are skipped. */
export type KindFilter = (apiVersion: string, kind: string) => boolean;

const TIMES: ReadonlySet<string> = new Set(['TIME', 'timestamp']);

/** Removes the time types of YAML 1.1, which would make `80:53` a number. kubectl also reads YAML 1.1 without these types. */
const withoutTimes = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || !(TIMES.has(tag.format ?? '') || tag.tag.endsWith(':timestamp')));

/** A text during parsing, with the filter for its objects. */
interface Text {
  readonly text: string;
  readonly lines: LineCounter;
  readonly wanted: KindFilter;
  /** The objects that are already read. Without this set, aliases could repeat an object in Lists without limit. */
  readonly seen: Set<unknown>;
}

/** The range of an object without a file, and of an error without a location. */
const START: SourceRange = { line: 1, column: 1, endLine: 1, endColumn: 1 };

/** Builds a manifest from an object that was read from a cluster. */
export const withoutFile = (object: { readonly kind: string }): Manifest => ({
  kind: object.kind,
  object,
  locate: () => START,
  source: () => undefined,
});

/** Reads the objects in YAML or JSON, including the items of Lists. Reports unreadable parts. */
export function readManifests(text: string, wanted: KindFilter): ParsedFile {
  const lines = new LineCounter();
  const file = { text: readable(text), lines, wanted, seen: new Set<unknown>() };
  try {
    const documents = parseAllDocuments(file.text, {
      version: '1.1',
      customTags: withoutTimes,
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
    });
    // For an empty text, the parser returns an empty array with additional properties.
    const parts = [...documents].map((document) => readDocument(document, file));
    return {
      manifests: parts.flatMap(({ manifests }) => manifests),
      unreadable: parts.flatMap(({ unreadable }) => unreadable),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { manifests: [], unreadable: [{ range: START, what: TOO_DEEP }] };
  }
}

/** Removes the byte order mark that some editors write, and replaces tabs in JSON by spaces. */
function readable(text: string): string {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (!/^\s*[[{]/.test(content) || !content.includes('\t')) return content;
  try {
    JSON.parse(content);
    return content.replaceAll('\t', ' ');
  } catch {
    return content;
  }
}

function readDocument(document: Document.Parsed, file: Text): ParsedFile {
  const problems = syntaxProblemsOf(document, file.text);
  const unreadable = problems.map((problem) => located(problem, file));
  if (!problems.every(({ isSlight }) => isSlight) || document.contents === null) return { manifests: [], unreadable };
  const read = readNode(document.contents, document, file);
  return { manifests: read.manifests, unreadable: [...unreadable, ...read.unreadable] };
}

const located = ({ span, what, isSlight }: SyntaxProblem, { lines }: Text): Unreadable => ({
  range: sourceRangeOf(span, lines),
  what,
  ...(isSlight === undefined ? {} : { isSlight }),
});

/** Returns the value of a key. Follows aliases and merges of YAML. */
function valueAt(map: YAMLMap, key: string, document: Document): unknown {
  const { exact, value } = find(document, map, [key]);
  return exact ? value : undefined;
}

function textAt(map: YAMLMap, key: string, document: Document): string {
  const node = valueAt(map, key, document);
  return isScalar(node) && typeof node.value === 'string' ? node.value : '';
}

const NOTHING: ParsedFile = { manifests: [], unreadable: [] };

interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

const NO_TYPE: ObjectType = { apiVersion: '', kind: '' };

/** Returns the type of an object. As in kubectl, an item without apiVersion and kind takes both from its list. */
function typeOf(node: YAMLMap, document: Document, typeOfItems: ObjectType): ObjectType {
  const [apiVersion, kind] = [textAt(node, 'apiVersion', document), textAt(node, 'kind', document)];
  return apiVersion === '' && kind === '' ? typeOfItems : { apiVersion, kind };
}

/** Reads an object, or the objects of a List. */
function readNode(from: unknown, document: Document, file: Text, typeOfItems = NO_TYPE): ParsedFile {
  const node = resolved(from, document);
  if (!isMap(node) || file.seen.has(node)) return NOTHING;
  file.seen.add(node);
  const type = typeOf(node, document, typeOfItems);
  const { apiVersion, kind } = type;
  const items = kind.endsWith('List') ? valueAt(node, 'items', document) : undefined;
  if (isSeq(items)) {
    const itemType = { apiVersion, kind: kind.slice(0, -'List'.length) };
    const parts = items.items.map((item) => readNode(item, document, file, itemType));
    return {
      manifests: parts.flatMap(({ manifests }) => manifests),
      unreadable: parts.flatMap(({ unreadable }) => unreadable),
    };
  }
  if (!file.wanted(apiVersion, kind)) return NOTHING;
  try {
    return { manifests: [manifestOf(node, type, document, file)], unreadable: [] };
  } catch (error) {
    const problem = valueProblem(node, document, error);
    if (problem === undefined) throw error;
    return { manifests: [], unreadable: [located(problem, file)] };
  }
}

const manifestOf = (node: Node, type: ObjectType, document: Document, file: Text): Manifest => ({
  kind: type.kind,
  object: { ...type, ...(node.toJS(document) as object) },
  locate: (path) => sourceRangeIn(node, file, document, path),
  source: (path) => {
    const { exact, value } = find(document, node, stepsOf(path));
    return exact && isScalar(value) ? value.source : undefined;
  },
});

function sourceRangeIn(node: Node, { text, lines }: Text, document: Document, path: string): SourceRange {
  const { span, exact } = find(document, node, stepsOf(path));
  if (span === undefined) return START;
  const [start, rawEnd] = span;
  const line = text.indexOf('\n', start);
  const end = exact && path !== '' ? rawEnd : Math.min(rawEnd, line < 0 ? text.length : line);
  return sourceRangeOf([start, start + text.slice(start, end).trimEnd().length], lines);
}
