import type { Options } from '../../annotation/catalogue.ts';
import { isHeld, isPublished, wantsElastic } from '../../clb/told.ts';
import { droppedLabels, FINALIZER } from '../../../webhook/rules/engine/marks.ts';
import { readDirt, writeDirt } from './dirty-mark.ts';
import { NO_OPTIONS, readOptions, writeOptions, type LastingOptions } from '../../clb/applied.ts';
import type { LoadBalancerId } from '../../clb/ids.ts';
import type { Hints } from '../../clb/observe.ts';
import type { Service } from '../../objects.ts';
import { publishedAddresses } from './status.ts';
import { serviceHash } from './hash.ts';

/**
 * What the controller remembers on a Service. All of it is a hint and never proof: people and tools drop and edit labels.
 * Missing means dirty.
 */
export interface Marks {
  readonly hasFinalizer: boolean;
  /** The digest of what was last carried out completely. */
  readonly digest?: string;
  /** A write to the cloud may have happened since. */
  readonly isDirty: boolean;
  /** That write was to clean up. */
  readonly isLeaving: boolean;
  /** That write may yet take effect, or one after it. */
  readonly isUnderWay: boolean;
  /** The wish to create a load balancer that is under way. */
  readonly intent?: string;
  readonly loadBalancerId?: LoadBalancerId;
  /** What has been, or may have been, put up because annotations said so. */
  readonly applied: LastingOptions;
}

const LABEL = {
  digest: 'portcullis.io/digest',
  dirty: 'portcullis.io/dirty',
  intent: 'portcullis.io/intent',
  applied: 'portcullis.io/applied',
  /** These two are the existing controller's, so that it can take over again. */
  hash: 'service.beta.kubernetes.io/hash',
  loadBalancerId: 'service.k8s.alibaba/loadbalancer-id',
} as const;

const ID = /^lb-[a-z0-9]+$/;

export function readMarks(service: Service): Marks {
  const labels = service.metadata.labels ?? {};
  const { [LABEL.digest]: digest, [LABEL.intent]: intent, [LABEL.loadBalancerId]: id = '' } = labels;
  return {
    hasFinalizer: isHeld(service),
    isDirty: labels[LABEL.dirty] !== undefined,
    ...readDirt(labels[LABEL.dirty]),
    applied: readOptions(labels[LABEL.applied]),
    ...(digest === undefined ? {} : { digest }),
    ...(intent === undefined ? {} : { intent }),
    ...(ID.test(id) ? { loadBalancerId: id as LoadBalancerId } : {}),
  };
}

/** Whether a Service says that it had a load balancer. */
export function hasBeenServed(service: Service): boolean {
  const { digest, loadBalancerId } = readMarks(service);
  return isPublished(service) || digest !== undefined || loadBalancerId !== undefined;
}

/** What a Service says that helps to find its load balancer. */
export function hintsOf(service: Service, options: Options): Hints {
  const { loadBalancerId } = readMarks(service);
  const published = publishedAddresses(service);
  return {
    published,
    isAddressHidden: isPublished(service) && (published.length === 0 || wantsElastic(options)),
    ...(loadBalancerId === undefined ? {} : { recordedId: loadBalancerId }),
  };
}

/** Whether something of this very Service may be in the cloud: what its status says comes from nobody but us. */
export function hasBegun(service: Service): boolean {
  const { isDirty, digest } = readMarks(service);
  return isDirty || digest !== undefined || isPublished(service);
}

/** An object's very state that a patch was made for: it fails if the object has changed, or is another of the same name. */
const lock = ({ metadata: { resourceVersion, uid } }: Service): object => ({ resourceVersion, uid });

/*
 * The patches of this file are strategic merge patches: they name our finalizer and our labels, and no other. A cache leaves out those
 * of others.
 */

/** The part of a patch that adds the finalizer; empty if the Service has it. */
const withFinalizer = (service: Service): { readonly finalizers?: readonly string[] } =>
  isHeld(service) ? {} : { finalizers: [FINALIZER] };

/** The part of a patch that removes the finalizer. */
const WITHOUT_FINALIZER = { '$deleteFromPrimitiveList/finalizers': [FINALIZER] };

type LabelChange = Readonly<Record<string, string | null>>;

/** Puts the finalizer on; absent when it is there. */
export function holdPatch(service: Service): object | undefined {
  return isHeld(service) ? undefined : { metadata: { ...lock(service), ...withFinalizer(service) } };
}

/** Adds the marks that a Service lacks of those that it is `wanted` to have. */
export const restorePatch = (service: Service, wanted: Service): object => ({
  metadata: { ...lock(service), labels: droppedLabels(wanted, service), ...withFinalizer(service) },
});

/** What is about to be done. */
export interface Beginning {
  /** Whether the Service is cleaned up. */
  readonly isLeaving?: boolean;
  /** Of a creation. */
  readonly intent?: string;
  /** What the Service asks to be put up; it may be, whatever becomes of this turn. */
  readonly applied?: LastingOptions;
  /** The user-managed load balancer that is about to be changed. */
  readonly loadBalancerId?: LoadBalancerId;
}

/** Says what was begun, where it is not said: leaving is over only when what it took off is back, or all was carried out since. */
function dirtyLabel(marks: Marks, isLeaving: boolean): LabelChange {
  const leaving = marks.isLeaving || isLeaving;
  const isSaid = marks.isUnderWay && leaving === marks.isLeaving;
  return isSaid ? {} : { [LABEL.dirty]: writeDirt({ isLeaving: leaving, isUnderWay: true }) };
}

/** Says that all that was begun has ended, where it is not said, though not all is done: the next process need not wait. */
export function endedLabel(service: Service): LabelChange {
  const marks = readMarks(service);
  return marks.isUnderWay ? { [LABEL.dirty]: writeDirt({ ...marks, isUnderWay: false }) } : {};
}

/**
 * The write before the first call that changes the cloud: finalizer, dirty mark, what may be put up and where and, for a creation,
 * its intent. Absent when all of it is there.
 */
export function beginPatch(service: Service, beginning: Beginning = {}): object | undefined {
  const { intent, applied = NO_OPTIONS, isLeaving = false, loadBalancerId: id } = beginning;
  const marks = readMarks(service);
  const all = writeOptions(new Set([...marks.applied, ...applied]));
  const labels = {
    ...dirtyLabel(marks, isLeaving),
    ...(intent === undefined || intent === marks.intent ? {} : { [LABEL.intent]: intent }),
    ...(all === writeOptions(marks.applied) ? {} : { [LABEL.applied]: all }),
    ...(id === undefined || id === marks.loadBalancerId ? {} : { [LABEL.loadBalancerId]: id }),
  };
  if (isHeld(service) && Object.keys(labels).length === 0) return undefined;
  return { metadata: { ...lock(service), labels, ...withFinalizer(service) } };
}

/** What a commit records. Without a digest nothing counts as carried out, and the dirty mark stays. */
export interface Confirmation {
  readonly digest?: string;
  /** Whether nothing can happen any more that was begun; else the dirty mark stays too. */
  readonly isSettled?: boolean;
  /** Whether what leaving took off is on the Service's own load balancer again, and nothing can happen any more that was begun. */
  readonly isBack?: boolean;
  /** What is put up. Without a digest, what was put up before may be so still. */
  readonly applied?: LastingOptions;
  readonly loadBalancerId?: LoadBalancerId;
  /** Whether it was created for the Service. */
  readonly isOwn?: boolean;
}

/**
 * Caches leave out an annotation that the existing controller's hash covers, so it can be told only of an object that a write has
 * answered. A hash that is out of date costs that controller one full pass when it takes over, and nothing else.
 */
const isWhole = ({ metadata }: Service): boolean => metadata.managedFields !== undefined;

/** What is carried out, and whether anything can still come of it. Who has come back is not to be taken for one that goes, whatever else is left. */
function confirmed({ isLeaving }: Marks, { digest, isSettled = true, isBack = false }: Confirmation): LabelChange {
  if (digest !== undefined) return { [LABEL.digest]: digest, ...(isSettled ? { [LABEL.dirty]: null } : {}) };
  return isBack && isLeaving ? { [LABEL.dirty]: writeDirt({ isLeaving: false, isUnderWay: false }) } : {};
}

/** The labels that a commit has to change; empty when they are as they should be. */
export function commitLabels(service: Service, confirmation: Confirmation): LabelChange {
  const { digest, applied = NO_OPTIONS, loadBalancerId, isOwn = false } = confirmation;
  const labels = service.metadata.labels ?? {};
  const marks = readMarks(service);
  const before = digest === undefined ? marks.applied : NO_OPTIONS;
  const wanted: Record<string, string | null> = {
    ...(loadBalancerId === undefined ? {} : { [LABEL.loadBalancerId]: loadBalancerId }),
    // With an id of its own the creation is over, whatever is left to do: the same token would answer what it has answered, for ever.
    ...(digest === undefined && (loadBalancerId === undefined || !isOwn) ? {} : { [LABEL.intent]: null }),
    ...confirmed(marks, confirmation),
    [LABEL.applied]: writeOptions(new Set([...before, ...applied])) ?? null,
  };
  const changed = Object.entries(wanted).filter(([key, value]) => (labels[key] ?? null) !== value);
  // The hash is not worth a write of its own.
  const hash =
    changed.length > 0 && digest !== undefined && isWhole(service) ? { [LABEL.hash]: serviceHash(service) } : {};
  return { ...Object.fromEntries(changed), ...hash };
}

type Label = (typeof LABEL)[keyof typeof LABEL];

/**
 * By these a Service that was looked after is told from one that another controller has left behind. They go with the finalizer: who
 * starts in between has to know that it is to go on.
 */
const LAST: readonly Label[] = [LABEL.digest, LABEL.dirty];

const without = ({ metadata }: Service, labels: readonly Label[]): Readonly<Record<string, null>> =>
  Object.fromEntries(labels.filter((label) => metadata.labels?.[label] !== undefined).map((label) => [label, null]));

/** Takes the marks off a Service that has no load balancer any more, but for those that go with the finalizer. */
export const noLabels = (service: Service): Readonly<Record<string, null>> =>
  without(
    service,
    Object.values(LABEL).filter((label) => !LAST.includes(label)),
  );

/** Lets the Service go. */
export function finalPatch(service: Service): object {
  const labels = without(service, LAST);
  return {
    metadata: { ...lock(service), ...WITHOUT_FINALIZER, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
  };
}
