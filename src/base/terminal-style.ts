import { styleText } from 'node:util';

/** A function that highlights a text in a terminal. */
export type TextStyle = (text: string) => string;

/** Returns a function that formats the output of a command, such as bold or red. Callers must check that the output is a terminal. */
export const styled =
  (...formats: Parameters<typeof styleText>[0][]): TextStyle =>
  (text) =>
    formats.reduce((formatted, format) => styleText(format, formatted, { validateStream: false }), text);
