import { ANNOTATION_BYTES, exceedsCache } from '../../annotation/cached-annotation-truncation.ts';
import { wellKnownOfKind } from '../../annotation/well-known-names.ts';
import { isBeyond, justBeyond, mapJustBeyond, sizeOf, type MapLimits } from '../../base/cached-field-truncation.ts';
import type { Service, ServicePort } from '../../base/kubernetes-objects.ts';

/** The maximum number of ports of a Service: the limit of an EndpointSlice, and twice the usual quota of listeners. */
export const MOST_PORTS = 100;

/** The limits of the labels that users set on a Service. Labels that the controller writes do not count. */
export const LABEL_LIMITS: MapLimits = { entries: 64, bytes: 4_096 };

type Labels = Readonly<Record<string, string>>;

const OWN_LABELS: ReadonlySet<string> = new Set(wellKnownOfKind('service-label').map(({ name }) => name));

/** Returns whether a label belongs to users, not to the controller. */
export const isUserLabel = (label: string): boolean => !OWN_LABELS.has(label);

/** Returns the labels that caches keep: labels of the controller, and as many labels of users as rules need to detect an excess. */
export const keptLabels = (labels: Labels): Labels => mapJustBeyond(labels, LABEL_LIMITS, isUserLabel);

/** Returns the ports that caches keep: at most `MOST_PORTS` + 1, so that rules can detect an excess. */
export const keptPorts = (ports: readonly ServicePort[]): readonly ServicePort[] => justBeyond(ports, MOST_PORTS);

/** Returns whether a Service has more ports than the maximum, so that a cached copy may lack some of the ports. */
export const hasTooManyPorts = ({ spec }: Pick<Service, 'spec'>): boolean => (spec?.ports ?? []).length > MOST_PORTS;

/** Returns whether the labels of users on a Service exceed the limits. */
export const hasTooManyLabels = ({ metadata: { labels = {} } }: Pick<Service, 'metadata'>): boolean =>
  isBeyond(sizeOf(labels, isUserLabel), LABEL_LIMITS);

/** A field of a Service that exceeds a limit of Portcullis. */
export interface Excess {
  readonly field: 'spec.ports' | 'metadata.labels' | 'metadata.annotations';
  readonly reason: 'TooMany' | 'TooLong';
  /** The limit in words. */
  readonly detail: string;
}

const PORTS = `must have at most ${MOST_PORTS} items`;
const LABELS = `may not be more than ${LABEL_LIMITS.entries} labels of ${LABEL_LIMITS.bytes} bytes in total`;
const ANNOTATIONS = `annotations that Portcullis reads may not be more than ${ANNOTATION_BYTES} bytes`;

/** Returns the fields of a Service that exceed a limit. A cached copy with trimmed fields gives the same result. */
export function excessOf(service: Pick<Service, 'metadata' | 'spec'>): readonly Excess[] {
  const { annotations = {} } = service.metadata;
  const excess: Excess[] = [];
  if (hasTooManyPorts(service)) excess.push({ field: 'spec.ports', reason: 'TooMany', detail: PORTS });
  if (hasTooManyLabels(service)) excess.push({ field: 'metadata.labels', reason: 'TooLong', detail: LABELS });
  if (exceedsCache(annotations)) excess.push({ field: 'metadata.annotations', reason: 'TooLong', detail: ANNOTATIONS });
  return excess;
}
