import { ANNOTATION_BYTES, annotationBytes } from '../../annotation/cached-annotations.ts';
import { wellKnownOfKind } from '../../annotation/well-known.ts';
import { isBeyond, justBeyond, mapJustBeyond, sizeOf, type MapLimits } from '../../base/just-beyond.ts';
import type { Service, ServicePort } from '../../base/objects.ts';

/** The most ports of a Service: as many as an EndpointSlice may have, and twice the usual quota of listeners. */
export const MOST_PORTS = 100;

/** The limits of labels. Labels that the controller writes do not count. */
export const LABEL_LIMITS: MapLimits = { entries: 64, bytes: 4_096 };

type Labels = Readonly<Record<string, string>>;

const OWN_LABELS: ReadonlySet<string> = new Set(wellKnownOfKind('service-label').map(({ name }) => name));

/** Whether a label is not one that the controller writes. */
export const isUserLabel = (label: string): boolean => !OWN_LABELS.has(label);

/** Returns the labels that caches keep: all that the controller writes, and others until they are too many. */
export const keptLabels = (labels: Labels): Labels => mapJustBeyond(labels, LABEL_LIMITS, isUserLabel);

/** Returns the ports that caches keep: all of them, or one too many. */
export const keptPorts = (ports: readonly ServicePort[]): readonly ServicePort[] => justBeyond(ports, MOST_PORTS);

/** Whether a Service has more ports than are kept of it, so that the rest of its ports may be unknown. */
export const hasTooManyPorts = ({ spec }: Pick<Service, 'spec'>): boolean => (spec?.ports ?? []).length > MOST_PORTS;

/** Whether a Service has more labels than are kept of it. */
export const hasTooManyLabels = ({ metadata: { labels = {} } }: Pick<Service, 'metadata'>): boolean =>
  isBeyond(sizeOf(labels, isUserLabel), LABEL_LIMITS);

/** A part of a Service that is larger than Portcullis keeps. */
export interface Excess {
  readonly field: 'spec.ports' | 'metadata.labels' | 'metadata.annotations';
  /** What there may be, in words. */
  readonly most: string;
}

const LABELS = `${LABEL_LIMITS.entries} labels of ${LABEL_LIMITS.bytes} bytes together`;
const ANNOTATIONS = `${ANNOTATION_BYTES} bytes of annotations that Portcullis reads`;

/** Returns the parts of a Service that are too large. The part that a cache keeps of the Service has the same. */
export function excessOf(service: Pick<Service, 'metadata' | 'spec'>): readonly Excess[] {
  const { annotations = {} } = service.metadata;
  const excess: Excess[] = [];
  if (hasTooManyPorts(service)) excess.push({ field: 'spec.ports', most: `${MOST_PORTS} ports` });
  if (hasTooManyLabels(service)) excess.push({ field: 'metadata.labels', most: LABELS });
  if (annotationBytes(annotations) > ANNOTATION_BYTES)
    excess.push({ field: 'metadata.annotations', most: ANNOTATIONS });
  return excess;
}
