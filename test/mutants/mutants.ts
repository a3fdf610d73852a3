/** A defect that is inserted into one source file. */
export interface Mutant {
  readonly file: string;
  /** The defect, as a sentence. */
  readonly defect: string;
  /** The source text that occurs once in the file. */
  readonly source: string;
  readonly replacement: string;
}

const CLB = 'src/clb';
const SERVICE = 'src/controller/service';

/** Defects that at least one test must notice. `make mutants` inserts them one at a time, so that a test without effect is found. */
export const MUTANTS: readonly Mutant[] = [
  {
    file: `${CLB}/diff/server-groups.ts`,
    defect: 'backends are removed before others are added',
    source: `    ...batches('add-backends', group, create),
    ...batches('remove-backends', group, backendsUnknown(desired) ? [] : remove.filter(isRemovable)),`,
    replacement: `    ...batches('remove-backends', group, backendsUnknown(desired) ? [] : remove.filter(isRemovable)),
    ...batches('add-backends', group, create),`,
  },
  {
    file: `${CLB}/diff/server-groups.ts`,
    defect: 'backends of users are removed from a group',
    source: '    isOurs(backend) && !(backend.type',
    replacement: '    !(backend.type',
  },
  {
    file: `${CLB}/diff/server-groups.ts`,
    defect: 'a group loses all backends while no wanted backend is known',
    source: 'backendsUnknown(desired) ? [] : remove.filter(isRemovable)',
    replacement: 'remove.filter(isRemovable)',
  },
  {
    file: `${CLB}/diff/server-groups.ts`,
    defect: 'weights are written although the Service ignores weights',
    source: '(wanted.weight !== has.weight && !present.ignoreWeights)',
    replacement: 'wanted.weight !== has.weight',
  },
  {
    file: `${CLB}/diff/server-groups.ts`,
    defect: 'a group with backends of users is deleted',
    source: ' && ours.length === group.backends.length',
    replacement: '',
  },
  {
    file: `${CLB}/diff/diff.ts`,
    defect: 'the listeners of a Service stay on a user-managed load balancer',
    source: '  ...removeListeners(owner, observed),\n',
    replacement: '',
  },
  {
    file: `${CLB}/diff/diff.ts`,
    defect: 'a preserved load balancer is deleted',
    source: 'return only(desired.preserve ? preserve(desired, observed, loadBalancer) : deleteOwned(loadBalancer));',
    replacement: 'return only(deleteOwned(loadBalancer));',
  },
  {
    file: `${CLB}/diff/listeners.ts`,
    defect: 'a port with a listener of another owner counts as free',
    source:
      'const holderOfPort = (wanted: DesiredListener) => foreign.find((listener) => shareAPort(listener, wanted));',
    replacement: 'const holderOfPort = (_: DesiredListener) => foreign.find(() => false);',
  },
  {
    file: `${CLB}/diff/listeners.ts`,
    defect: 'listeners of users are deleted on a user-managed load balancer',
    source: '  if (!managesListeners(desired.use)) return removeObsoleteListeners(desired, observed);\n',
    replacement: '',
  },
  {
    file: `${CLB}/diff/listeners.ts`,
    defect: 'a listener without a name is taken over on a user-managed load balancer',
    source: "if (use.kind === 'reused' || parseName(listener.description) !== undefined) return false;",
    replacement: 'if (parseName(listener.description) !== undefined) return false;',
  },
  {
    file: `${CLB}/diff/listeners.ts`,
    defect: 'a stopped listener stays stopped',
    source: "has.status === 'stopped' ?",
    replacement: "has.status !== 'stopped' && has.status !== 'running' ?",
  },
  {
    file: `${CLB}/diff/load-balancer.ts`,
    defect: 'all tags of users are removed',
    source: '(key) => !isReservedTag(key) && desired.tags[key] === undefined',
    replacement: '(key) => desired.tags[key] === undefined',
  },
  {
    file: `${CLB}/diff/load-balancer.ts`,
    defect: 'a load balancer is created for a Service that names one',
    source: "return desired.use.kind === 'owned' ? creation(desired) : NOTHING;",
    replacement: 'return creation(desired);',
  },
  {
    file: `${CLB}/guards/deferred-deletions.ts`,
    defect: 'obsolete resources are deleted while a port cannot be synced',
    source: "plan.blocked.some(({ rule }) => rule === 'InvalidPort')",
    replacement: "plan.blocked.some(({ rule }) => rule === 'Never')",
  },
  {
    file: `${CLB}/guards/deferred-deletions.ts`,
    defect: 'a listener is deleted while its replacement is blocked',
    source: 'return REMOVALS.has(action.kind) && lacksListener(plan, observed)',
    replacement: 'return REMOVALS.has(action.kind) && plan.actions.length < 0',
  },
  {
    file: `${CLB}/guards/guards.ts`,
    defect: 'a protected load balancer is used',
    source: 'if (context.protectedIds.has(id)) return',
    replacement: 'if (context.protectedIds.has(`${id} `)) return',
  },
  {
    file: `${CLB}/model/ownership.ts`,
    defect: 'a load balancer with the tag of another Service is owned',
    source: "return isOwnedBy({ uid }, tags) ? 'owned' : 'foreign';",
    replacement: "return isOwnedBy({ uid }, tags) ? 'owned' : 'owned';",
  },
  {
    file: `${CLB}/model/ownership.ts`,
    defect: 'the default name alone proves that a load balancer is owned',
    source: "defaultLoadBalancerName(uid) && isShown(loadBalancer, evidence)) return 'owned';",
    replacement: "defaultLoadBalancerName(uid)) return 'owned';",
  },
  {
    file: `${CLB}/observe/observe.ts`,
    defect: 'two load balancers with the tag of a Service cause no error',
    source: 'if (found.length <= 1) return found[0];',
    replacement: 'if (found.length <= 9) return found[0];',
  },
  {
    file: `${CLB}/guards/foreign-groups.ts`,
    defect: 'a namespace adds backends to the group of another namespace',
    source: 'if (!present.has(owner.namespace)) return false;',
    replacement: 'if (!present.has(owner.namespace)) return true;',
  },
  {
    file: `${CLB}/guards/foreign-groups.ts`,
    defect: 'an empty group belongs to the first Service',
    source: 'if (present.size === 0) return (oldestNamespace(claims) ?? owner.namespace) === owner.namespace;',
    replacement: 'if (present.size === 0) return true;',
  },
  {
    file: `${CLB}/guards/groups-in-use.ts`,
    defect: 'a group is deleted while a listener of a user uses it',
    source: '      listener.groupId === group.id &&\n',
    replacement: '      listener.groupId === `${group.id} ` &&\n',
  },
  {
    file: `${CLB}/diff/shared-changes.ts`,
    defect: 'backends of other namespaces do not count as a use of a load balancer',
    source: 'const named = [...listeners, ...groups.flatMap(({ backends }) => backends)];',
    replacement: 'const named = [...listeners];',
  },
  {
    file: `${CLB}/apply/apply.ts`,
    defect: 'actions that depend on a failed action are applied',
    source: '    if (tracker.forbids(action, now)) continue;\n',
    replacement: '',
  },
  {
    file: `${CLB}/desired/endpoints.ts`,
    defect: 'endpoints of other namespaces are backends',
    source: 'return own.length === endpoints.length ? slice : { ...slice, endpoints: own };',
    replacement: 'return own.length === endpoints.length ? slice : { ...slice, endpoints };',
  },
  {
    file: `${SERVICE}/state/service-writes.ts`,
    defect: 'the cloud is changed before the finalizer is stored',
    source: '  return addFinalizerTo(service, context, deps);\n}\n\n/** Adds the finalizer',
    replacement: '  return service;\n}\n\n/** Adds the finalizer',
  },
  {
    file: `${SERVICE}/state/service-writes.ts`,
    defect: 'the cloud is changed before the operation is recorded',
    source: '  const record = started(context.entry.record, { ...start, resettable: context.requestedResettable });',
    replacement:
      '  const record = start.isCleanup === true ? started(context.entry.record, { ...start, resettable: context.requestedResettable }) : context.entry.record;',
  },
  {
    file: `${SERVICE}/cleanup/cleanup.ts`,
    defect: 'the finalizer is removed while a deletion may still take effect',
    source: '  if (result.waitMs > 0) {',
    replacement: '  if (result.waitMs > Number.MAX_SAFE_INTEGER) {',
  },
  {
    file: `${SERVICE}/cleanup/cleanup.ts`,
    defect: 'a cleanup starts from the state read before the deletion of the Service',
    source: '  if (entry.isCleaningUp) return;\n  entry.knowledge = invalidateAll(entry.knowledge);',
    replacement: '  if (entry.isCleaningUp) return;',
  },
  {
    file: `${SERVICE}/cleanup/cleanup-targets.ts`,
    defect: 'a cleanup ignores the load balancer of the binding',
    source: 'const ids = new Set([used, recorded, publishedId, named, ...listening]);',
    replacement: 'const ids = new Set([used, publishedId, named]);',
  },
  {
    file: `${SERVICE}/cleanup/vanished-services.ts`,
    defect: 'a binding of another cluster is cleaned up',
    source: '  const isForeign = await bindings.isOfOtherCluster(binding, signal);',
    replacement: "  const isForeign = (await bindings.isOfOtherCluster(binding, signal)) && uid === '';",
  },
  {
    file: `${SERVICE}/cleanup/vanished-services.ts`,
    defect: 'an existing Service counts as vanished',
    source: 'return metadata.uid !== binding.metadata.name;',
    replacement: 'return metadata.uid !== binding.metadata.uid;',
  },
  {
    file: `${SERVICE}/state/binding-store.ts`,
    defect: 'an older copy in the cache replaces a written object',
    source:
      'if (cached === undefined || isOlder(cached.metadata.resourceVersion, resourceVersion)) return written.binding;',
    replacement: 'if (cached === undefined) return written.binding;',
  },
  {
    file: `${SERVICE}/state/service-metadata.ts`,
    defect: 'a label outweighs the binding',
    source: 'replacesLabels(record) ? boundIn(record) : labelledId(service);',
    replacement: 'labelledId(service) ?? boundIn(record);',
  },
  {
    file: `${SERVICE}/adopt/find-bound.ts`,
    defect: 'another load balancer is looked up only if the annotation changes',
    source: "  if (invalidated.has('load-balancer')) return false;\n",
    replacement: '',
  },
  {
    file: `${SERVICE}/sync/creation-intent.ts`,
    defect: 'a second load balancer is created while the first may still appear',
    source: 'return isSame ? 0 : unshownMs(service, entry, deps);',
    replacement: 'return isSame ? 0 : Math.min(0, unshownMs(service, entry, deps));',
  },
  {
    file: `${SERVICE}/sync/creation-intent.ts`,
    defect: 'a creation is repeated with another token',
    source: '  if (earlier !== undefined && isIntentFor(earlier, attributes, tags)) {',
    replacement: '  if (earlier !== undefined && earlier === service.metadata.uid) {',
  },
  {
    file: `${SERVICE}/sync/sync-inputs.ts`,
    defect: 'a Service is synced while an operation is in progress',
    source: '  record.operation === undefined && record.syncedDigest === digest && record.admittedUsage !== undefined;',
    replacement: '  record.syncedDigest === digest && record.admittedUsage !== undefined;',
  },
  {
    file: `${SERVICE}/port-locks.ts`,
    defect: 'two Services change one part of a load balancer at once',
    source: 'other === key || !overlap(lockedByOther, parts)',
    replacement: 'other === key || overlap(lockedByOther, parts) !== undefined',
  },
  {
    file: `${SERVICE}/state/pending-operations.ts`,
    defect: 'a lost call is forgotten by the next process',
    source: '  if (!isInProgress(record)) return new Map();\n',
    replacement: '  if (isInProgress(record)) return new Map();\n',
  },
  {
    file: `${SERVICE}/event-handlers.ts`,
    defect: 'a removed finalizer triggers no reconcile',
    source: '    (hasFinalizer(before) && !hasFinalizer(after)) ||\n',
    replacement: '',
  },
  {
    file: `${SERVICE}/state/own-writes.ts`,
    defect: 'own writes trigger a reconcile',
    source: 'if (version === undefined || !(this.#versions.get(path) ?? []).includes(version)) hear();',
    replacement: 'if (version === undefined || version !== path) hear();',
  },
  {
    file: `${SERVICE}/cleanup/vanished-services.ts`,
    defect: 'a Service that vanished while another controller led is cleaned up',
    source: '    if (!leadership.isOutdated(uid) && !isSucceeded) return true;',
    replacement: '    if (!isSucceeded) return true;',
  },
  {
    file: `${SERVICE}/state/service-state.ts`,
    defect: 'a Service is not read again after another controller led',
    source: ' && !this.#leadership.isOutdated(uid) && !namesAnother(service, record);',
    replacement: ' && !namesAnother(service, record);',
  },
  {
    file: `${SERVICE}/state/service-state.ts`,
    defect: 'a Service is read again at a random time after its first complete read',
    source: 'record.syncedDigest !== undefined && !this.#leadership',
    replacement: '!this.#leadership',
  },
  {
    file: `${SERVICE}/status/publish-reconcile-result.ts`,
    defect: 'readiness gates of registered pods are not set',
    source: '    pods === undefined ? result : reportPods({ ...pods, service }, result, context, deps);',
    replacement:
      '    pods !== undefined ? result : reportPods({ slices: [], missing: new Set(), service }, result, context, deps);',
  },
];
