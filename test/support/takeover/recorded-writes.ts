import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { PortcullisError } from '../../../src/base/errors.ts';
import type { JournalEntry } from '../../../src/local/simulator/simulator.ts';
import type { Sandbox } from '../../../src/local/sandbox-handle.ts';
import { readAuditLog, type Audited } from '../invariants/audit-log.ts';
import { sandboxCloud } from './sandbox-cloud.ts';

/** The state at the end of a sandbox's preparation. */
const Prepared = z.object({
  /** The number of the last cloud call. */
  journal: z.number(),
  /** Milliseconds since the epoch. */
  atMs: z.number(),
});
export type Prepared = z.output<typeof Prepared>;

export const preparedFile = ({ folder }: Pick<Sandbox, 'folder'>): string => join(folder, 'left-behind.json');

/** The users of the control plane and of the simulated machines. Their writes are ignored, because none of them is a compared controller. */
const CONTROL_PLANE_USERS =
  /^(?:kwok|cert-manager|sandbox-kubelet|system:(?:apiserver|kube-.*|node:.*|serviceaccount:kube-system:.*))$/;
/** The kinds that are not compared: leader election and events. */
const TEMPORARY = new Set(['leases', 'events']);

/** A write by a user outside the control plane. */
export interface ObjectWrite {
  readonly user: string;
  /** A name such as `services left-behind/kind-01`. */
  readonly object: string;
  /** The paths of the changed fields. Empty if the log does not contain them. */
  readonly changed: readonly string[];
}

/** Changes since a sandbox was prepared. */
export interface SinceThen {
  /** Changing cloud calls of any caller. */
  readonly calls: readonly JournalEntry[];
  readonly writes: readonly ObjectWrite[];
}

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the fields of a value. In a list of items with types, the fields are the items, by type. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => {
  if (Array.isArray(value) && value.every((each) => isPlain(each) && typeof each['type'] === 'string'))
    return Object.fromEntries(value.map((each: { type: string }) => [each.type, { ...each, type: undefined }]));
  return isPlain(value) && !Array.isArray(value) ? value : {};
};

/** A condition is compared as a whole. */
const isLeaf = (path: string, value: unknown): boolean =>
  !isPlain(value) ||
  (Array.isArray(value) && Object.keys(fieldsOf(value)).length === 0) ||
  path.includes('.conditions.');

/** Returns the paths at which two objects differ. */
export function changedPaths(before: unknown, after: unknown, path = ''): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (path !== '' && isLeaf(path, before) && isLeaf(path, after)) return [path];
  const [had, has] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...Object.keys(had), ...Object.keys(has)])]
    .filter((key) => !['resourceVersion', 'generation', 'managedFields'].includes(key))
    .flatMap((key) => changedPaths(had[key], has[key], path === '' ? key : `${path}.${key}`));
}

function writeOf({ user, happened }: Audited): readonly ObjectWrite[] {
  if (happened.kind !== 'stored' || TEMPORARY.has(happened.plural) || CONTROL_PLANE_USERS.test(user)) return [];
  const { plural, key, before, after } = happened;
  return [{ user, object: `${plural} ${key}`, changed: changedPaths(before, after) }];
}

/** Returns the changes since the preparation of a sandbox. Throws `InvalidConfiguration` if the sandbox was not prepared. */
export async function sinceThen(sandbox: Sandbox): Promise<SinceThen> {
  const file = preparedFile(sandbox);
  if (!existsSync(file))
    throw new PortcullisError(
      'InvalidConfiguration',
      `sandbox ${sandbox.name} was not prepared: run "node test/take-over.ts prepare" first`,
    );
  const { journal, atMs } = Prepared.parse(JSON.parse(readFileSync(file, 'utf8')));
  const calls = (await sandboxCloud(sandbox).journal(journal)).filter(({ kind }) => kind === 'write');
  const audited = readAuditLog(readFileSync(join(sandbox.logs, 'audit.log'), 'utf8'));
  return { calls, writes: audited.filter((one) => one.atMs > atMs).flatMap(writeOf) };
}
