/** Where the tour is told: plain text, coloured only for a terminal. */
export interface Narrator {
  heading(number: number, of: number, title: string): void;
  /** A paragraph for the reader, wrapped at 100 columns. */
  say(text: string): void;
  /** A command as a person would type it. */
  command(line: string): void;
  /** What a command printed, as it stands. */
  output(text: string): void;
  /** A check that held. */
  confirm(text: string): void;
  failure(expected: string, found: string): void;
}

const WIDTH = 100;

const wrap = (text: string): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
};

/** `write` takes text with its line ends; `coloured` says whether escape sequences may be used. */
export function createNarrator(write: (text: string) => void, coloured: boolean): Narrator {
  const paint = (code: number, text: string): string => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);
  const line = (text: string): void => write(`${text}\n`);
  return {
    heading: (number, of, title) => {
      line('');
      const start = `── ${number}/${of}  ${title} `;
      line(paint(1, start + '─'.repeat(Math.max(3, WIDTH - start.length))));
    },
    say: (text) => line(wrap(text)),
    command: (text) => line(`\n${paint(36, '$')} ${paint(1, text)}`),
    output: (text) => {
      if (text !== '') line(text.replace(/\n+$/, ''));
    },
    confirm: (text) => line(`${paint(32, '✓')} ${text}`),
    failure: (expected, found) => {
      line(`${paint(31, '✗')} expected: ${expected}`);
      line(`  found:    ${found}`);
    },
  };
}
