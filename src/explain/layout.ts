import { styleText } from 'node:util';
import type { Command } from 'commander';
import type { Layout } from './text.ts';

const WIDEST = 100;

/** Returns the layout for the output: a readable width, and bold text only on a terminal. */
export function layoutOf(self: Command): Layout {
  const output = self.configureOutput();
  const width = Math.min(output.getOutHelpWidth?.() ?? WIDEST, WIDEST);
  const bold = (text: string): string => styleText('bold', text, { validateStream: false });
  return { width, bold: output.getOutHasColors?.() === true ? bold : (text) => text };
}
