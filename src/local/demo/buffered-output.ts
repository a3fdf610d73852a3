import type { TextOutput } from '../terminal.ts';

/** An output that keeps its texts until `open` is called. */
export interface BufferedOutput extends TextOutput {
  /** Writes the kept texts. After the call, each text is written immediately. */
  readonly open: () => void;
}

/** Creates a buffered output. The sandbox starts during the step `offline`, and this output shows the progress of the start only after the step. */
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
