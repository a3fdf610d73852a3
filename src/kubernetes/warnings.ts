import type { IncomingHttpHeaders } from 'node:http';

/** A warning of the API server: code, agent and quoted text, as in RFC 7234. */
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** Returns the texts of the warnings in the headers of an answer. */
export function warningsIn(headers: IncomingHttpHeaders): readonly string[] {
  const lines = [headers.warning ?? []].flat();
  return lines.flatMap((line) =>
    [...line.matchAll(WARNING)].map(([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1')),
  );
}
