import type { IncomingHttpHeaders } from 'node:http';

/** The header of a warning: the code 299, an agent and a quoted text, as in RFC 7234. */
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** Returns the warnings of the API server in the headers of a response, for calls with `onWarning`. */
export function warningsIn(headers: IncomingHttpHeaders): readonly string[] {
  const lines = [headers.warning ?? []].flat();
  return lines.flatMap((line) =>
    [...line.matchAll(WARNING)].map(([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1')),
  );
}
