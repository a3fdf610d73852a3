import { parse } from 'yaml';

/** Parses a YAML text. This module is separate, so that processes load the parser only if necessary. */
export const readYaml = (text: string): unknown => parse(text);
