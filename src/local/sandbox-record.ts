import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortcullisError } from '../base/errors.ts';
import type { ClusterAddress } from './kubeconfig.ts';

/** The parts of a sandbox that are ours, and can be left out. */
export const PARTS = ['webhook', 'controller'] as const;
export type Part = (typeof PARTS)[number];

export const NAMESPACE = 'portcullis-system';

/** A part's Deployment, service account and pods are all named like this. */
export const workloadName = (part: Part): string => `portcullis-${part}`;

/** What is known of a sandbox from one process to the next: `sandbox.json` in its folder. */
export interface SandboxRecord {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  readonly state: 'starting' | 'ready';
  readonly without: readonly Part[];
  readonly address: ClusterAddress;
  /** On 127.0.0.1, by the names of the Deployments' container ports. */
  readonly ports: Readonly<Record<Part, Readonly<Record<string, number>>>>;
  readonly egressSocket: string;
  /** What `environment` exports, but for `PATH`. */
  readonly environment: Readonly<Record<string, string>>;
}

const FILE = 'sandbox.json';

/** Whole or not at all, and for its owner only: it is read by other processes while it is written. */
export function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export const writeRecord = (record: SandboxRecord): void =>
  writeWhole(join(record.folder, FILE), `${JSON.stringify(record, null, 2)}\n`);

/** `undefined` when there is none. */
export function findRecord(folder: string): SandboxRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as SandboxRecord;
  } catch {
    return undefined;
  }
}

/** Throws `InvalidConfiguration` when there is no such sandbox. */
export function readRecord(folder: string): SandboxRecord {
  const record = findRecord(folder);
  if (record !== undefined) return record;
  throw new PortcullisError('InvalidConfiguration', `there is no sandbox in ${folder}: start one with "make up"`);
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/;

/** The folder of the sandbox of that name. Throws `InvalidConfiguration` for a name that cannot be a folder's. */
export function sandboxFolder(root: string, name: string): string {
  if (NAME.test(name)) return join(root, '.sandbox', name);
  throw new PortcullisError(
    'InvalidConfiguration',
    `SANDBOX=${name} is not a name for a sandbox: use up to 32 lower-case letters, digits and hyphens, for example SANDBOX=second`,
  );
}

/** The parts named in `WITHOUT`, for example `webhook,controller`. Throws `InvalidConfiguration` for others. */
export function partsIn(text: string): readonly Part[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const unknown = words.find((word) => !(PARTS as readonly string[]).includes(word));
  if (unknown === undefined) return PARTS.filter((part) => words.includes(part));
  throw new PortcullisError(
    'InvalidConfiguration',
    `WITHOUT=${text} names "${unknown}", which cannot be left out: use ${PARTS.join(', ')}, or both with a comma`,
  );
}
