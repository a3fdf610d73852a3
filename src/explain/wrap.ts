/** Matches a character that takes two columns on a terminal. */
const WIDE = /[\p{Script=Han}\u3000-\u303f\uff00-\uff60]/u;
const WIDE_CHARACTERS = new RegExp(WIDE, 'gu');

/** Matches the positions next to Chinese characters at which a line may end. Excludes positions before closing and after opening punctuation. */
const BREAKS =
  /(?<=[\p{Script=Han}\u3000-\u303f\uff00-\uff60])(?<![（《「“])(?![，。；：、？！）》」”])|(?<=\S)(?<![（《「“])(?=[\p{Script=Han}（《「“])/u;

/** Returns the number of columns that a text takes on a terminal. A Chinese character takes two columns. */
export const widthOf = (text: string): number => text.length + (text.match(WIDE_CHARACTERS)?.length ?? 0);

/** Fills a text with spaces up to a width. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(width - widthOf(text), 0));

interface Piece {
  readonly text: string;
  /** The space before the piece. Dropped if the piece begins a line. */
  readonly space: string;
}

const piecesOf = (text: string): readonly Piece[] =>
  text
    .split(' ')
    .flatMap((word, at) =>
      word.split(BREAKS).map((piece, part) => ({ text: piece, space: at > 0 && part === 0 ? ' ' : '' })),
    );

/** Breaks a text into lines of at most `width` columns. A longer word gets its own line. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of piecesOf(text)) {
    if (line !== '' && widthOf(line) + widthOf(piece.space + piece.text) > width) {
      lines.push(line);
      line = piece.text;
    } else line = line === '' ? piece.text : `${line}${piece.space}${piece.text}`;
  }
  return [...lines, line];
}
