import { parse } from 'yaml';

/** What a text says; throws when it is not YAML. In a file of its own, which is loaded only where there is such a text. */
export const readYaml = (text: string): unknown => parse(text);
