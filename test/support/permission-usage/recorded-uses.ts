import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { z } from 'zod';

/** The variable with the path prefix of a suite's recorded uses, which the suite grants compares with the permissions. */
export const USED = 'PORTCULLIS_TEST_USED';

/** Requests to an API server, or calls of the cloud. */
export type Kind = 'requests' | 'calls';

/** The recorded requests or calls as text, each with one example of its origin. */
export type Used = ReadonlyMap<string, string>;

const Recording = z.record(z.enum(['requests', 'calls']), z.array(z.tuple([z.string(), z.string()])));

const noted: Readonly<Record<Kind, Map<string, string>>> = { requests: new Map(), calls: new Map() };
let isRegistered = false;

/** Returns whether uses are recorded. They are recorded only in a run of all suites, because reading logs costs time. */
export const isGathering = (): boolean => (process.env[USED] ?? '') !== '';

/** Records a use. In a run of all suites, the process writes its uses into a file at exit. */
export function note(kind: Kind, what: string, where: string): void {
  if (!isGathering()) return;
  if (!isRegistered) process.once('exit', writeUses);
  isRegistered = true;
  if (!noted[kind].has(what)) noted[kind].set(what, where);
}

function writeUses(): void {
  const file = `${process.env[USED] ?? ''}.${process.pid}.json`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ requests: [...noted.requests], calls: [...noted.calls] }));
}

/** Returns the recorded uses of all suites except those named. Throws a message outside of a run of all suites. */
export function gathered(kind: Kind, but: readonly string[] = []): Used {
  const own = process.env[USED] ?? '';
  if (own === '') {
    throw new Error('the comparison of permissions needs the usage of all suites: run all suites with "make test"');
  }
  const files = globSync(`${dirname(own)}/*.json`).filter((file) => !but.includes(basename(file).split('.')[0] ?? ''));
  return new Map(files.flatMap((file) => Recording.parse(JSON.parse(readFileSync(file, 'utf8')))[kind]));
}
