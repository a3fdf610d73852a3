/** A text that a terminal received. */
export interface TranscriptEvent {
  /** The seconds since the start. */
  readonly seconds: number;
  readonly text: string;
}

/** The output of a program on a terminal. `make recording` keeps it in dist/recording.cast. */
export interface Transcript {
  readonly width: number;
  readonly height: number;
  readonly events: readonly TranscriptEvent[];
}

/** Returns a transcript as asciicast, version 2: a header, and an event on each line. */
export function toAsciicast({ width, height, events }: Transcript): string {
  const lines = events.map(({ seconds, text }) => JSON.stringify([Number(seconds.toFixed(3)), 'o', text]));
  return `${[JSON.stringify({ version: 2, width, height }), ...lines].join('\n')}\n`;
}

/** Reads an asciicast of version 2. Throws for another format. */
export function fromAsciicast(text: string): Transcript {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const { version, width, height } = JSON.parse(header) as Record<string, unknown>;
  if (version !== 2 || typeof width !== 'number' || typeof height !== 'number')
    throw new Error('the first line is not the header of an asciicast of version 2');
  const events = lines.flatMap((line) => {
    const [seconds, kind, output] = JSON.parse(line) as readonly [number, string, string];
    return kind === 'o' ? [{ seconds, text: output }] : [];
  });
  return { width, height, events };
}
