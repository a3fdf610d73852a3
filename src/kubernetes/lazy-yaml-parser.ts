import { parse } from 'yaml';

/** Parses a YAML text. This module is separate, so that only processes with a kubeconfig in YAML load the parser. */
export const readYaml = (text: string): unknown => parse(text);
