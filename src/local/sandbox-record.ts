import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortcullisError } from '../base/errors.ts';
import type { ClusterAddress } from './kubeconfig.ts';

/** The parts of Portcullis in a sandbox. Each part runs as a process, unless the variable `WITHOUT` omits the part. */
export const PARTS = ['webhook', 'controller'] as const;
export type SandboxPart = (typeof PARTS)[number];

/** The namespace of Portcullis. */
export const NAMESPACE = 'portcullis-system';

/** Returns the name of a part's Deployment and of its ServiceAccount. */
export const workloadName = (part: SandboxPart): string => `portcullis-${part}`;

/** The content of `sandbox.json` in the sandbox's folder, from which all commands and the kubelet read the state of the sandbox. */
export interface SandboxRecord {
  readonly name: string;
  /** The absolute path. */
  readonly folder: string;
  readonly state: 'starting' | 'ready';
  readonly without: readonly SandboxPart[];
  readonly address: ClusterAddress;
  /** The ports on 127.0.0.1, by the name of the container port. */
  readonly ports: Readonly<Record<SandboxPart, Readonly<Record<string, number>>>>;
  readonly egressSocket: string;
  /** The variables of the `environment` file, except `PATH`. */
  readonly environment: Readonly<Record<string, string>>;
}

const FILE = 'sandbox.json';

/** Writes a file that other users cannot read. The write is atomic, because other processes of this user may read the file concurrently. */
export function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export const writeRecord = (record: SandboxRecord): void =>
  writeWhole(join(record.folder, FILE), `${JSON.stringify(record, null, 2)}\n`);

/** Returns the record in a folder. Returns undefined if the record is missing or truncated. */
export function findRecord(folder: string): SandboxRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as SandboxRecord;
  } catch {
    return undefined;
  }
}

/** Returns the record in a folder. Throws `InvalidConfiguration` if the folder has no sandbox. */
export function readRecord(folder: string): SandboxRecord {
  const record = findRecord(folder);
  if (record !== undefined) return record;
  throw new PortcullisError('InvalidConfiguration', `no sandbox found in ${folder}: start a sandbox with "make up"`);
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/;

/** Returns the folder of the sandbox with this name. Throws `InvalidConfiguration` for an invalid name. */
export function sandboxFolder(root: string, name: string): string {
  if (NAME.test(name)) return join(root, '.sandbox', name);
  throw new PortcullisError(
    'InvalidConfiguration',
    `SANDBOX=${name} is not a valid name: use up to 32 lower-case letters, digits and hyphens, with no hyphen at the start or end, for example SANDBOX=second`,
  );
}

/** Returns the parts named in `WITHOUT`, for example `webhook,controller`. Throws `InvalidConfiguration` for other names. */
export function partsIn(text: string): readonly SandboxPart[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const unknown = words.find((word) => !(PARTS as readonly string[]).includes(word));
  if (unknown === undefined) return PARTS.filter((part) => words.includes(part));
  throw new PortcullisError(
    'InvalidConfiguration',
    `WITHOUT=${text} contains "${unknown}", which cannot be omitted: use ${PARTS.join(', ')}, or both separated by a comma`,
  );
}
