import type { TerminalLine } from './terminal-lines.ts';

/** A name that differs in each run. */
interface VaryingName {
  readonly pattern: RegExp;
  /** Returns the stable name with this number, which counts from 1. `name` is the first match. */
  readonly stable: (number: number, name: string) => string;
}

const padded = (number: number, length: number): string => String(number).padStart(length, '0');

const VARYING: readonly VaryingName[] = [
  // The identity of a controller process has the name of its host.
  { pattern: /\bccm-[\w.-]+-[0-9a-f]{8}\b/g, stable: (number) => `ccm-controller-${number}` },
  {
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
    stable: (number) => `00000000-0000-4000-8000-${padded(number, 12)}`,
  },
  // The name of a load balancer, from the UID of its Service.
  { pattern: /\ba[0-9a-f]{31}\b/g, stable: (number) => `a${padded(number, 31)}` },
  { pattern: /\b[0-9a-f]{56}\b/g, stable: (number) => padded(number, 56) },
  {
    pattern: /\b(?:lb|eni|rsp|acl)-bp1[a-z0-9]{19}\b/g,
    stable: (number, name) => `${name.slice(0, name.indexOf('-'))}-bp1${padded(number, 19)}`,
  },
  { pattern: /(?<=-)[a-z0-9]{8,10}-[a-z0-9]{5}\b(?= )/g, stable: (number) => `0000000000-${padded(number, 5)}` },
  // Addresses that the cloud assigns, and that the API server assigns.
  { pattern: /\b47\.\d+\.\d+\.\d+\b/g, stable: (number) => `203.0.113.${number}` },
  { pattern: /\b172\.21\.\d+\.\d+\b/g, stable: (number) => `172.21.0.${number}` },
  // Node ports.
  { pattern: /(?<=[:/])3[0-2]\d{3}\b/g, stable: (number) => String(30_000 + number) },
];

/** Replaces names that differ in each run by numbered names, in the order of their first occurrence. Keeps the columns of tables aligned. */
export function stabilize(lines: readonly TerminalLine[]): readonly TerminalLine[] {
  const known = VARYING.map(() => new Map<string, string>());
  const stabilized = (text: string): string =>
    VARYING.reduce(
      (current, { pattern, stable }, kind) =>
        current.replace(new RegExp(`(${pattern.source})( *)`, 'g'), (_, name: string, spaces: string) => {
          const names = known[kind] ?? new Map<string, string>();
          const own = names.get(name) ?? stable(names.size + 1, name);
          names.set(name, own);
          return spaces.length < 2 ? own + spaces : own.padEnd(name.length + spaces.length - 2) + '  ';
        }),
      text,
    );
  return lines.map(({ seconds, parts }) => ({
    seconds,
    parts: parts.map(({ text, styles }) => ({ text: stabilized(text), styles })),
  }));
}

/** The names of the machine that made a transcript. */
export interface RecordingMachine {
  readonly hostname: string;
  readonly home: string;
  readonly folder: string;
}

const SECRET = /LTAI\w+|PRIVATE KEY|\beyJ[\w-]{10,}|\/(?:home|root|tmp|Users)\/\S*/;

/** Returns the lines that contain a name of the machine, a path or a secret. */
export function leaksIn(lines: readonly string[], { hostname, home, folder }: RecordingMachine): readonly string[] {
  const host = new RegExp(String.raw`(?<![\w.])${hostname.replaceAll('.', String.raw`\.`)}(?![\w])`);
  return lines.filter((line) => line.includes(home) || line.includes(folder) || host.test(line) || SECRET.test(line));
}
