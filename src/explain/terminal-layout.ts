import type { Command } from 'commander';
import { styled } from '../base/terminal-style.ts';
import type { Layout } from './text.ts';

/** The maximum width of a text, in columns, because longer lines are hard to read. */
const WIDEST = 100;

/** Returns the layout for the output of `explain` or `rules`: a readable width, and bold text only on a terminal. */
export function layoutOf(self: Command): Layout {
  const output = self.configureOutput();
  const width = Math.min(output.getOutHelpWidth?.() ?? WIDEST, WIDEST);
  return { width, bold: output.getOutHasColors?.() === true ? styled('bold') : String };
}
