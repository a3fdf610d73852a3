/** The output of the demo: headings, commands, their output, and the results of checks. Colours appear only on a terminal. */
export interface Narrator {
  heading(number: number, of: number, title: string): void;
  /** Prints a paragraph, wrapped at 100 columns. */
  say(text: string): void;
  /** Prints a command line. */
  command(line: string): void;
  /** Prints the output of a command unchanged. */
  output(text: string): void;
  /** Prints a successful check. */
  confirm(text: string): void;
  /** Prints a failed check. */
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

/** Creates the narrator. `write` receives text with line ends; `coloured` allows escape sequences. */
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
