import type { StyledText } from './terminal-lines.ts';
import type { PacedLine } from './scenes.ts';

/** The form of the animated picture in docs/recording.svg. */
export interface PictureOptions {
  /** The title of the window. */
  readonly title: string;
  /** A sentence for those who do not see the picture. */
  readonly description: string;
  readonly columns: number;
  readonly rows: number;
  /** The time for which the last line stays, in milliseconds. */
  readonly restMs: number;
}

interface Row {
  readonly atMs: number;
  readonly parts: readonly StyledText[];
}

const FONT_PX = 14;
/** The width of a character in the widest common monospaced font. */
const COLUMN_PX = 8.43;
const ROW_PX = 19;
const MARGIN_PX = 16;
const BAR_PX = 34;

const COLORS = {
  light: {
    back: '#fff',
    bar: '#f6f8fa',
    edge: '#d0d7de',
    text: '#1f2328',
    dim: '#656d76',
    red: '#cf222e',
    green: '#1a7f37',
    cyan: '#0550ae',
  },
  dark: {
    back: '#0d1117',
    bar: '#161b22',
    edge: '#30363d',
    text: '#e6edf3',
    dim: '#8d96a0',
    red: '#ff7b72',
    green: '#3fb950',
    cyan: '#79c0ff',
  },
} as const;

type Colors = Readonly<Record<keyof (typeof COLORS)['light'], string>>;

/** Renders lines as an animated picture: the terminal scrolls by a row for each row of text. Equal lines give equal bytes. */
export function renderSvg(lines: readonly PacedLine[], options: PictureOptions): string {
  const rows = rowsOf(lines, options.columns);
  const width = Math.ceil(options.columns * COLUMN_PX + 2 * MARGIN_PX);
  const screen = options.rows * ROW_PX;
  const height = BAR_PX + screen + 2 * MARGIN_PX;
  const title = escaped(options.title);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d">
<title id="t">${title}</title>
<desc id="d">${escaped(options.description)}</desc>
<style>${styleSheet(rows, options)}</style>
<rect class="back" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<path class="bar" d="M.5 ${BAR_PX}V8.5a8 8 0 0 1 8-8h${width - 17}a8 8 0 0 1 8 8V${BAR_PX}z"/>
<g class="dots"><circle cx="20" cy="17" r="5"/><circle cx="38" cy="17" r="5"/><circle cx="56" cy="17" r="5"/></g>
<text class="name" x="${width / 2}" y="22" text-anchor="middle">${title}</text>
<svg x="${MARGIN_PX}" y="${BAR_PX + MARGIN_PX}" width="${width - 2 * MARGIN_PX}" height="${screen}" overflow="hidden">
<g class="text" xml:space="preserve">
${rows.flatMap(({ parts }, index) => textElement(parts, index)).join('\n')}
</g>
</svg>
</svg>
`;
}

/** Breaks lines at the width of the terminal. */
function rowsOf(lines: readonly PacedLine[], columns: number): readonly Row[] {
  return lines.flatMap(({ atMs, parts }) => {
    const rows: StyledText[][] = [[]];
    let left = columns;
    for (const { text, styles } of parts) {
      for (let rest = Array.from(text); rest.length > 0;) {
        if (left === 0) {
          rows.push([]);
          left = columns;
        }
        const piece = rest.slice(0, left);
        rows.at(-1)?.push({ text: piece.join(''), styles });
        left -= piece.length;
        rest = rest.slice(piece.length);
      }
    }
    return rows.map((parts) => ({ atMs, parts }));
  });
}

function textElement(parts: readonly StyledText[], index: number): readonly string[] {
  if (parts.length === 0) return [];
  const spans = parts.map(({ text, styles }) =>
    styles.length === 0 ? escaped(text) : `<tspan class="${styles.join(' ')}">${escaped(text)}</tspan>`,
  );
  return [`<text y="${(index + 1) * ROW_PX - 5}">${spans.join('')}</text>`];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for XML. Lines of a terminal have no control characters, which XML does not allow. */
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

function styleSheet(rows: readonly Row[], { rows: visible, restMs }: PictureOptions): string {
  const endMs = (rows.at(-1)?.atMs ?? 0) + restMs;
  const offset = (count: number): string => `transform:translateY(${(visible - count) * ROW_PX}px)`;
  return [
    rulesOf(COLORS.light),
    `@media(prefers-color-scheme:dark){${rulesOf(COLORS.dark)}}`,
    `text{font:${FONT_PX}px ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",Consolas,monospace;white-space:pre}`,
    '.bold{font-weight:700}',
    `.text{animation:scroll ${seconds(endMs)}s step-end infinite}`,
    `@keyframes scroll{${framesOf(rows, endMs, offset)}}`,
    `@media(prefers-reduced-motion:reduce){.text{animation:none;${offset(rows.length)}}}`,
  ].join('\n');
}

const rulesOf = ({ back, bar, edge, text, dim, red, green, cyan }: Colors): string =>
  [
    `.back{fill:${back};stroke:${edge}}.bar{fill:${bar};stroke:${edge}}.dots{fill:${edge}}`,
    `text{fill:${text}}.name,.dim{fill:${dim}}.red{fill:${red}}.green{fill:${green}}.cyan{fill:${cyan}}`,
  ].join('');

const seconds = (ms: number): string => String(Number((ms / 1000).toFixed(2)));

/** Returns a frame for each time at which rows appear. The last row is at the bottom of the terminal. */
function framesOf(rows: readonly Row[], endMs: number, offset: (count: number) => string): string {
  const counts = new Map<string, number>();
  for (const [index, { atMs }] of rows.entries()) counts.set(((atMs / endMs) * 100).toFixed(2), index + 1);
  return [...counts].map(([percent, count]) => `${Number(percent)}%{${offset(count)}}`).join('');
}
