import { parse } from 'yaml';

/** Parses a YAML text and throws if it is invalid. A separate module, so that the parser is loaded only if necessary. */
export const readYaml = (text: string): unknown => parse(text);
