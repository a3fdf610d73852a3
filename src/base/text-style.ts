import { styleText } from 'node:util';

/** A function that highlights text. */
export type TextStyle = (text: string) => string;

/** Returns a function that formats text for a terminal. The caller decides whether the output is a terminal. */
export const styled =
  (...formats: Parameters<typeof styleText>[0][]): TextStyle =>
  (text) =>
    formats.reduce((formatted, format) => styleText(format, formatted, { validateStream: false }), text);
