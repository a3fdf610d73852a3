import type { DeprecatedKeys } from '../../../webhook/mutate/mutate.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import {
  COPY_STAYS,
  EMPTY,
  NOTHING_CHANGES,
  runSteps,
  startInMode,
  type Steps,
} from '../../support/deprecated-key-steps.ts';
import { keysOf, type Editor, type Writer } from '../../support/annotation-clients.ts';

const ACL = { [keysOf('acl-id').new]: 'acl-1', [keysOf('acl-type').new]: 'white' };

/** The writers that apply a manifest. The API server or the last-applied annotation shows when they remove a key. */
const APPLIERS: readonly Writer[] = ['apply', 'server-side', 'Argo CD', 'server-side Argo CD'];
/** The writers of whole objects. */
const PUTTERS: readonly Writer[] = ['replace', 'PUT'];
/** The writers of patches. */
const PATCHERS: readonly Editor[] = [
  ...(['annotate', 'patch', 'strategic patch', 'JSON patch', 'operator with a JSON patch', 'edit'] as const),
];
const RENAMERS: readonly Writer[] = [...APPLIERS, ...PUTTERS, ...PATCHERS, 'chart', 'strategic chart'];

/** The writers for which the mode `auto` keeps the old key. */
const KEPT_FOR: ReadonlySet<Writer> = new Set<Writer>([
  ...(['Argo CD', 'server-side Argo CD', 'PUT', 'operator with a JSON patch', 'chart', 'strategic chart'] as const),
]);

const isEditor = (by: Writer): boolean => (PATCHERS as readonly Writer[]).includes(by);
const isKept = (by: Writer, mode: DeprecatedKeys): boolean => mode === 'keep' || (mode === 'auto' && KEPT_FOR.has(by));

/** Returns steps that write the old key, and repeat the write unless the repetition may change the order of the managed fields. */
function written(by: Writer, mode: DeprecatedKeys): Steps {
  const keeps = isKept(by, mode);
  const hasTwoManagers = isEditor(by) || by === 'replace';
  const one = { by, keys: { old: 'on' }, stored: keeps ? { old: 'on', new: 'on' } : { new: 'on' } };
  const again = by !== 'edit' && (keeps || !hasTwoManagers) ? [{ ...one, same: true as const }] : [];
  return [...(hasTwoManagers ? [EMPTY] : []), one, ...again];
}

/** Returns steps that write the old key, rename the key, and remove the key. */
function renaming(by: Writer, mode: DeprecatedKeys): Steps {
  const renamed = { by, keys: isEditor(by) ? { old: null, new: 'on' } : { new: 'on' }, stored: { new: 'on' } };
  const again = by === 'edit' ? [] : [{ ...renamed, same: true as const }];
  return [...written(by, mode), renamed, ...again, { by, keys: isEditor(by) ? { new: null } : {}, stored: {} }];
}

/** Returns steps that write and then remove the old key. */
function removing(by: Writer, mode: DeprecatedKeys): Steps {
  // Only an apply or a whole object shows that the current key must be removed too.
  if (APPLIERS.includes(by) || PUTTERS.includes(by)) return [...written(by, mode), { by, keys: {}, stored: {} }];
  const removed = { by, keys: isEditor(by) ? { old: null } : {}, stored: { new: 'on' } };
  const isSent = ['annotate', 'patch', 'strategic patch'].includes(by);
  const warned = isSent ? { same: true as const, warns: NOTHING_CHANGES } : {};
  return [...written(by, mode), { ...removed, ...(isKept(by, mode) ? { warns: COPY_STAYS } : warned) }];
}

/** A user who renames a deprecated key of an access control list must not open the port to all clients. */
describe('a client that writes the ACL annotation with a deprecated key,', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.plane.kubectl('create', 'namespace', 'shop');
  });
  after(() => resources.disposeAsync());

  for (const mode of ['auto', 'keep', 'replace'] as const satisfies DeprecatedKeys[]) {
    describe(`with --deprecated-keys=${mode}`, () => {
      const ended = new AsyncDisposableStack();
      before(async () => {
        ended.use(await startInMode(cluster, mode));
      });
      after(() => ended.disposeAsync());

      for (const [index, by] of RENAMERS.entries()) {
        it(`keeps the ACL on when ${by} writes the current key instead`, () =>
          runSteps(cluster, `acl-${mode}-${index}`, renaming(by, mode), 'acl-status', ACL));
        it(`removes the ACL, or gets a warning about the copied key, when ${by} removes the annotation`, () =>
          runSteps(cluster, `off-${mode}-${index}`, removing(by, mode), 'acl-status', ACL));
      }
    });
  }
});
