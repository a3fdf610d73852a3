import type { Options } from '../../../annotation/catalogue.ts';
import { WELL_KNOWN } from '../../../annotation/well-known-names.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import type { LookupHints } from '../../../clb/observe/observe.ts';
import { hasFinalizer, isPublished, recordedIdOf } from '../../../clb/model/provisioning-evidence.ts';
import { wantsElastic } from '../../../inventory/published-addresses.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import { serviceHash } from './go-hash.ts';
import { publishedAddresses } from '../status/ingress.ts';
import { boundIn, isRecordedAsOwned, replacesLabels, type BindingRecord } from './binding-record.ts';

const { hash: HASH, loadBalancerId: LOAD_BALANCER_ID, finalizer: FINALIZER } = WELL_KNOWN;

/** Labels of builds before the first release. The controller removes these labels, because bindings replace them. */
const OBSOLETE_LABELS = ['digest', 'dirty', 'intent', 'applied', 'uses'].map((name) => `portcullis.io/${name}`);

const ID = /^lb-[a-z0-9]+$/;

/** Returns the load balancer's id from the label of the Alibaba Cloud Controller Manager (the existing controller). */
function labelledId(service: Service): LoadBalancerId | undefined {
  const id = recordedIdOf(service) ?? '';
  return ID.test(id) ? (id as LoadBalancerId) : undefined;
}

/** Returns the id of the load balancer to look for first: from the binding, or from the label of a Service without a binding. */
export const recordedId = (service: Service, record: BindingRecord): LoadBalancerId | undefined =>
  replacesLabels(record) ? boundIn(record) : labelledId(service);

/** Returns whether the label of a Service names another load balancer than its binding, because another client wrote the label. */
export function namesAnother(service: Service, record: BindingRecord): boolean {
  const id = recordedIdOf(service);
  return id !== undefined && ![undefined, id].includes(boundIn(record));
}

/**
 * Returns whether a label has another value, as after a sync by the existing controller; false for a removed label, because `kubectl replace` removes
 * labels.
 */
export const isLabelChanged = (before: Service, after: Service): boolean =>
  [HASH, LOAD_BALANCER_ID].some(({ name }) => {
    const [was, is] = [before, after].map(({ metadata }) => metadata.labels?.[name]);
    return was !== undefined && is !== undefined && was !== is;
  });

/** Returns whether the status, the record or a label shows that a Service had a load balancer. */
export const hasBeenServed = (service: Service, record: BindingRecord): boolean =>
  isPublished(service) || record.syncedDigest !== undefined || recordedId(service, record) !== undefined;

/** Returns the hints for the lookup of a Service's load balancer: the published addresses and the recorded id. */
export function hintsOf(service: Service, record: BindingRecord, options: Options): LookupHints {
  const id = recordedId(service, record);
  const published = publishedAddresses(service);
  return {
    published,
    isAddressHidden: isPublished(service) && (published.length === 0 || wantsElastic(options)),
    ...(id === undefined ? {} : { recordedId: id, isRecordedAsOwned: isRecordedAsOwned(record, id) }),
  };
}

// The strategic merge patches of this file contain only the controller's finalizer and labels, because caches omit others.

export type LabelChange = Readonly<Record<string, string | null>>;

const removal = ({ metadata }: Service, labels: readonly string[]): LabelChange =>
  Object.fromEntries(labels.filter((label) => metadata.labels?.[label] !== undefined).map((label) => [label, null]));

/** Returns the fields that make a patch fail if the Service has changed, or was created again with the same name. */
const lock = ({ metadata: { resourceVersion, uid } }: Service): object => ({ resourceVersion, uid });

/** Returns the patch that adds the finalizer; undefined if the Service has it. */
export const addFinalizer = (service: Service): object | undefined =>
  hasFinalizer(service)
    ? undefined
    : { metadata: { ...lock(service), finalizers: [FINALIZER.name], labels: removal(service, OBSOLETE_LABELS) } };

/** Returns the patch that removes the finalizer. */
export const removeFinalizer = (service: Service): object => ({
  metadata: { ...lock(service), '$deleteFromPrimitiveList/finalizers': [FINALIZER.name] },
});

/** Returns whether a Service is a complete response, unlike a cached copy, which can lack annotations that the existing controller hashes. */
const isWhole = ({ metadata }: Service): boolean => metadata.managedFields !== undefined;

/** Labels to write in any case, and labels that are only written together with another change. */
interface LabelChanges {
  readonly labels: LabelChange;
  readonly alongside: LabelChange;
}

/**
 * Returns the changes of the existing controller's labels, so that the existing controller can take over again. An outdated hash costs one full
 * reconcile.
 */
export function labelChanges(service: Service, id: LoadBalancerId | undefined, isComplete: boolean): LabelChanges {
  const isRecorded = id === undefined || recordedIdOf(service) === id;
  const hash = isComplete && isWhole(service) ? { [HASH.name]: serviceHash(service) } : {};
  return {
    labels: isRecorded ? {} : { [LOAD_BALANCER_ID.name]: id },
    alongside: { ...removal(service, OBSOLETE_LABELS), ...hash },
  };
}

/** Returns the removal of all labels of the controller. */
export const noLabels = (service: Service): LabelChange =>
  removal(service, [HASH.name, LOAD_BALANCER_ID.name, ...OBSOLETE_LABELS]);
