import { readFileSync } from 'node:fs';

/** A sentence of a page, or a list item or table cell without an end of its own. */
export interface ProseLine {
  readonly line: number;
  readonly text: string;
  readonly words: number;
}

/** A violation of the rules of writing in a page. prose.test.ts checks the documentation, and `node test/support/prose.ts PAGE` one page. */
export interface Finding {
  /** The line of the violation. Absent for a violation of the whole page. */
  readonly line?: number;
  readonly message: string;
}

export const MOST_WORDS = 35;
export const MOST_WORDS_ON_AVERAGE = 18;
/** The minimum number of words in a sentence. A shorter text is a label, such as a cell of a table. */
const FEWEST_WORDS = 4;

/** The words that the documentation does not use, with their replacements. */
const REPLACED: readonly (readonly [pattern: string, instead: string])[] = [
  ['peoples?', 'users, operators'],
  ['somebody|anybody|nobody', 'a user, any user, no user'],
  ['told|tells?|telling', 'reports, shows, publishes'],
  ['judg(?:es?|ed|ing|e?ments?)', 'evaluate'],
  ['mirror(?:s|ed|ing)?', 'inventory'],
  ['beside', 'in addition to'],
  ['carr(?:y|ies|ied|ying) out', 'apply'],
  ['look(?:s|ed|ing)? after', 'manage'],
  ['let(?:s|ting)? go', 'release'],
  ['in vain', 'without effect'],
  ['stray(?:s|ed)?', 'stale backend'],
  ['heirs?', 'backend claim'],
  ['doubt(?:s|ed|ing)?', 'invalidate'],
  ['the stand', 'the sandbox'],
];
const WORDS = REPLACED.map(
  ([pattern, instead]) => [new RegExp(String.raw`\b(?:${pattern})\b`, 'gi'), instead] as const,
);

/** The replacement of a space in code, so that code counts as one word. */
const HARD_SPACE = '\u00a0';
/** The replacement of a bar in code, so that the bar does not separate cells. */
const HARD_BAR = '\u2758';
const CODE = /`[^`]*`/g;
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const ENDS = /(?<!\b(?:e\.g|i\.e|etc|vs|cf))[.!?]["')\]*_]*(?=[ \n])/g;

const keepLines = (text: string): string => text.replaceAll(/[^\n]/g, '');
const asOneWord = (code: string): string =>
  code.replaceAll(/[ \n]+/g, HARD_SPACE).replaceAll('|', HARD_BAR) + keepLines(code);

/** Returns the page without fenced blocks, comments, headings, targets of links and quoted titles of tests. */
const proseOf = (page: string): string =>
  page
    .replaceAll(/^( *)(`{3,}|~{3,})[^]*?^ *\2 *$/gm, keepLines)
    .replaceAll(/<!--[^]*?-->/g, keepLines)
    .replaceAll(/(`test\/[\w/.-]+\.ts`): (?:(?!; `| \|).)+/g, '$1')
    .replaceAll(/(`+)(?:(?!\1|\n\n)[^])+\1/g, asOneWord)
    .replaceAll(/^#+ .*$/gm, '')
    .replaceAll(/^\[[^\]]+\]: .*$/gm, '')
    .replaceAll(/!?\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)\s]*\)/g, '$1')
    .replaceAll(/<br ?\/?>/g, ' | ')
    .replaceAll(/(?<!\\)<\/?[a-z]+(?: [^>]*)?>/g, '');

interface Block {
  readonly line: number;
  readonly text: string;
}

/** Returns the paragraphs, list items and table cells. */
function blocksOf(prose: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; text: string } | undefined;
  for (const [index, raw] of prose.split('\n').entries()) {
    const line = raw.replace(/^\s*(?:> ?)+/, '');
    const isTable = line.trimStart().startsWith('|');
    if (line.trim() === '' || isTable) open = undefined;
    if (isTable)
      blocks.push(...line.split(/(?<!\\)\|/).map((cell) => ({ line: index + 1, text: cell.replaceAll('\\|', '|') })));
    else if (line.trim() !== '') {
      if (open === undefined || LIST_ITEM.test(line)) blocks.push((open = { line: index + 1, text: '' }));
      open.text += `${line.replace(LIST_ITEM, '')}\n`;
    }
  }
  return blocks;
}

const wordsIn = (text: string): number => text.split(/[ \n]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const shown = (text: string): string =>
  text
    .trim()
    .replaceAll(/[ \n]+/g, ' ')
    .replaceAll(HARD_SPACE, ' ')
    .replaceAll(HARD_BAR, '|');

/** Returns the sentences of a page in Markdown. */
export function sentencesOf(page: string): readonly ProseLine[] {
  return blocksOf(proseOf(page)).flatMap(({ line, text }) => {
    const ends = [...text.matchAll(ENDS)].map((match) => match.index + match[0].length);
    return [0, ...ends].flatMap((from, index) => {
      const prose = text.slice(from, ends[index]);
      const words = wordsIn(prose);
      if (words === 0) return [];
      const before = text.slice(0, from + prose.search(/[^ \n]/));
      return [{ line: line + (before.match(/\n/g)?.length ?? 0), text: shown(prose), words }];
    });
  });
}

/** Returns the findings about words that the documentation does not use. Code may contain the words. */
export const wordFindings = (page: string): readonly Finding[] =>
  sentencesOf(page).flatMap(({ line, text }) =>
    WORDS.flatMap(([pattern, instead]) =>
      [...text.replaceAll(CODE, '').matchAll(pattern)].map(([word]) => ({
        line,
        message: `"${word}" (instead: ${instead}): ${text}`,
      })),
    ),
  );

function averageFindings(sentences: readonly ProseLine[]): readonly Finding[] {
  const counted = sentences.map(({ words }) => words).filter((words) => words >= FEWEST_WORDS);
  const average = counted.reduce((sum, words) => sum + words, 0) / counted.length;
  if (counted.length === 0 || average <= MOST_WORDS_ON_AVERAGE) return [];
  return [{ message: `${average.toFixed(1)} words a sentence on average: at most ${MOST_WORDS_ON_AVERAGE}` }];
}

/** Returns the findings about sentences that are too long, an average that is too high, and words that the documentation does not use. */
export function proseFindings(page: string): readonly Finding[] {
  const sentences = sentencesOf(page);
  const long = sentences
    .filter(({ words }) => words > MOST_WORDS)
    .map(({ line, text, words }) => ({ line, message: `${words} words, at most ${MOST_WORDS}: ${text}` }));
  return [...long, ...wordFindings(page), ...averageFindings(sentences)];
}

/** Returns a finding as a line in the form of compilers. */
export const printed = (page: string, { line, message }: Finding): string =>
  `${page}${line === undefined ? '' : `:${line}`}: ${message}`;

if (import.meta.main) {
  const pages = process.argv.slice(2);
  if (pages.length === 0) {
    process.stderr.write('name the pages: node test/support/prose.ts docs/glossary.md\n');
    process.exitCode = 2;
  }
  const lines = pages.flatMap((page) =>
    proseFindings(readFileSync(page, 'utf8')).map((finding) => `${printed(page, finding)}\n`),
  );
  process.stdout.write(lines.join(''));
  if (lines.length > 0) process.exitCode = 1;
}
