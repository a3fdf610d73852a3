import type { TextOutput } from '../terminal.ts';

/** An output that keeps its texts until `open` is called. */
export interface Gate extends TextOutput {
  /** Writes the kept texts. Later texts are written at once. */
  readonly open: () => void;
}

/** Creates a closed gate before an output. The start of the sandbox writes to a gate, so that its progress does not disturb the step `offline`. */
export function createGate(output: TextOutput): Gate {
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
