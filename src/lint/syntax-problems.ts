import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  visit,
  type Document,
  type Node,
  type YAMLParseError,
} from 'yaml';

type Span = readonly [start: number, end: number];

/** The reason why a document cannot be read, with the span of its cause. */
export interface SyntaxProblem {
  readonly span: Span;
  readonly what: string;
  /** True if the rest of the file can still be evaluated. */
  readonly isSlight?: true;
}

export const TOO_DEEP = 'the nesting is too deep';
const REPEATED = 'the key is repeated, and its earlier value is lost';
const TEMPLATE =
  'the file is a template: render the template first, for example with helm template shop ./chart | portcullis lint -';
const NO_OBJECT = 'expected an object with apiVersion and kind, found text';
const MERGE = 'merge conflict: keep one version, and remove the conflict markers';
const UNCLOSED = 'the preceding { or [ is not closed';

/** Messages by error code of the parser `yaml`, whose own messages use terms of the YAML grammar. */
const WORDS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'the line is indented with a tab: use spaces',
  BAD_INDENT: 'the indentation differs from that of the related lines: align the lines',
  BLOCK_AS_IMPLICIT_KEY: 'a map begins within a value: quote the value if it contains ": ", or align the next line',
  MULTILINE_IMPLICIT_KEY: 'the colon after the key is missing: write "key: value" on one line',
  BAD_SCALAR_START: 'a text with this first character needs quotation marks',
};

const lower = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1);

type Broken = Pick<YAMLParseError, 'code' | 'message' | 'pos'>;

function wordsFor({ code, message, pos }: Broken, text: string): string {
  if (message.includes('call stack')) return TOO_DEEP;
  if (/^(?:<{7}|={7}|>{7})/.test(text.slice(pos[0], pos[0] + 7))) return MERGE;
  if (message.startsWith('Flow ')) return UNCLOSED;
  const quote = /^Missing closing (["'])/.exec(message)?.[1];
  if (quote !== undefined) return `a text that begins with ${quote} is not closed`;
  return WORDS[code] ?? lower(message);
}

/** Returns the span of the first `{{` of a document. Returns undefined if the error is on an earlier line. */
function templateBefore({ pos }: Broken, { range }: Document.Parsed, text: string): Span | undefined {
  const at = text.indexOf('{{', range[0]);
  const lineEnd = text.indexOf('\n', pos[0]);
  return at >= 0 && (lineEnd < 0 || at < lineEnd) ? [at, at + 2] : undefined;
}

/** Returns the span of a map that is used as a key, because the parser reads a template `{{ x }}` this way. */
function mapAsKey(document: Document.Parsed, text: string): Span | undefined {
  if (!text.includes('{{')) return undefined;
  let found: Span | undefined;
  visit(document, {
    Pair: (_, { key }) => {
      if (!isCollection(key) || !key.range) return undefined;
      found = [key.range[0] - 1, key.range[1]];
      return visit.BREAK;
    },
  });
  return found;
}

/** Returns an error for the first alias without a preceding anchor, because no program can read this alias. */
function unknownAlias(document: Document.Parsed, text: string): SyntaxProblem | undefined {
  if (!text.includes('*')) return undefined;
  const anchors = new Set<string>();
  let found: SyntaxProblem | undefined;
  visit(document, {
    Value: (_, { anchor }) => {
      if (anchor !== undefined) anchors.add(anchor);
    },
    Alias: (_, { source, range }) => {
      if (anchors.has(source) || !range) return undefined;
      found = { span: [range[0], range[1]], what: 'the alias has no preceding anchor' };
      return visit.BREAK;
    },
  });
  return found;
}

/** Returns the syntax errors of a YAML document in readable words. */
export function syntaxProblemsOf(document: Document.Parsed, text: string): readonly SyntaxProblem[] {
  const repeated = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  const broken = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  const template = broken === undefined ? mapAsKey(document, text) : templateBefore(broken, document, text);
  if (template !== undefined) return [{ span: template, what: TEMPLATE }];
  const slight = repeated.map((error): SyntaxProblem => ({ span: error.pos, what: REPEATED, isSlight: true }));
  if (broken !== undefined) return [...slight, { span: broken.pos, what: wordsFor(broken, text) }];
  const rest = unknownAlias(document, text) ?? textAlone(document);
  return rest === undefined ? slight : [...slight, rest];
}

/** Returns an error for a document that is a single text, such as the output of a failed command. */
function textAlone({ contents }: Document.Parsed): SyntaxProblem | undefined {
  if (!isScalar(contents) || contents.value === null) return undefined;
  return { span: [contents.range[0], contents.range[1]], what: NO_OBJECT };
}

const MERGE_KEY = '<<';

/** Returns the span of a merged value that is neither a map nor a list of maps. */
function misplacedMerge(node: Node, document: Document): Span | undefined {
  const isSource = (value: unknown): boolean => isMap(isAlias(value) ? value.resolve(document) : value);
  let found: Span | undefined;
  visit(node, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || key.source !== MERGE_KEY || !isNode(value) || !value.range) return undefined;
      const sources = isAlias(value) ? value.resolve(document) : value;
      if (isSource(sources) || (isSeq(sources) && sources.items.every(isSource))) return undefined;
      found = [value.range[0], value.range[1]];
      return visit.BREAK;
    },
  });
  return found;
}

/** Returns why a parsed document cannot become a value: too many aliases, or a merge key `<<` without a map. */
export function valueProblem(node: Node, document: Document, error: unknown): SyntaxProblem | undefined {
  const merge = misplacedMerge(node, document);
  if (merge !== undefined) return { span: merge, what: 'only a map or a list of maps can be merged' };
  if (!(error instanceof ReferenceError)) return undefined;
  return { span: node.range ? [node.range[0], node.range[0]] : [0, 0], what: lower(error.message) };
}
