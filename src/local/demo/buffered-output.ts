import type { TextOutput } from '../terminal.ts';

/** An output that keeps its texts until `open` is called. */
export interface BufferedOutput extends TextOutput {
  /** Writes the kept texts. After the call, each text is written immediately. */
  readonly open: () => void;
}

/** Creates a buffered output. The start of the sandbox writes to this output, so that its progress does not disturb the step `offline`. */
export function createBufferedOutput(output: TextOutput): BufferedOutput {
  let kept: string[] | undefined = [];
  return {
    isTTY: output.isTTY === true,
    ...(output.columns === undefined ? {} : { columns: output.columns }),
    write: (text) => {
      if (kept === undefined) output.write(text);
      else kept.push(text);
    },
    open: () => {
      const texts = kept ?? [];
      kept = undefined;
      for (const text of texts) output.write(text);
    },
  };
}
