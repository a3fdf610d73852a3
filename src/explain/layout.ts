import { styleText } from 'node:util';
import type { Command } from 'commander';
import type { Layout } from './text.ts';

const WIDEST = 100;

/** Only as wide as reads well, and bold on a terminal alone. */
export function layoutOf(self: Command): Layout {
  const output = self.configureOutput();
  const width = Math.min(output.getOutHelpWidth?.() ?? WIDEST, WIDEST);
  const bold = (text: string): string => styleText('bold', text, { validateStream: false });
  return { width, bold: output.getOutHasColors?.() === true ? bold : (text) => text };
}
