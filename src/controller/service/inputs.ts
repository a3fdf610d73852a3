import { CATALOGUE, ENTRIES } from '../../annotation/catalogue.ts';
import type { OptionDefinition } from '../../annotation/option-definition.ts';
import { parseAnnotations, type ParsedAnnotations } from '../../annotation/parse.ts';
import { nodeSelection, type DesiredInputs } from '../../clb/desired/build.ts';
import { ofOwnNamespace, slicesAcrossNamespaces } from '../../clb/desired/endpoints.ts';
import { OWN, requestedRef, type LoadBalancerRef } from '../../clb/model/load-balancer-ref.ts';
import type { LookupHints } from '../../clb/observe/observe.ts';
import { keyOf, type ObjectKey, type Service } from '../../base/kubernetes-objects.ts';
import { INDEX, type KubernetesCaches } from '../kubernetes-interface.ts';
import { podsWithGate } from './backends/readiness-gates.ts';
import type { BindingRecord } from './state/binding-record.ts';
import { hintsOf } from './state/service-metadata.ts';
import type { NodeSelector } from './backends/cached-node-selection.ts';

/** The stored data about one Service, read at the start of a reconcile. */
export interface ServiceInputs extends Pick<DesiredInputs, 'slices' | 'nodes'> {
  readonly service: Service;
  readonly record: BindingRecord;
  readonly parsed: ParsedAnnotations;
  /** The pods with ready containers and the readiness gate of the Service. Such a pod becomes a backend before its gate opens. */
  readonly awaiting: ReadonlySet<ObjectKey>;
  /** The load balancer that the annotation `id` requests. */
  readonly requested: LoadBalancerRef;
  /** The published addresses and the recorded id, by which a search finds the load balancer. */
  readonly hints: LookupHints;
  /** The names of slices with endpoints of other namespaces. `slices` omits these endpoints. */
  readonly ignoredSlices: readonly string[];
}

export interface InputDeps {
  readonly selectNodes: NodeSelector;
  readonly caches: Pick<KubernetesCaches, 'endpointSlices' | 'pods'>;
}

/** Reads the data about a Service from the caches. All steps of a reconcile use the same result. */
export function readInputs(service: Service, record: BindingRecord, { caches, selectNodes }: InputDeps): ServiceInputs {
  const parsed = parseAnnotations(service.metadata.annotations);
  const stored = caches.endpointSlices.byIndex(INDEX.slicesByService, keyOf(service));
  const slices = stored.map(ofOwnNamespace);
  return {
    service,
    record,
    parsed,
    requested: requestedRef(parsed.options),
    hints: hintsOf(service, record, parsed.options),
    slices,
    ignoredSlices: slicesAcrossNamespaces(stored),
    nodes: selectNodes(nodeSelection(parsed.options)),
    awaiting: podsWithGate(service, slices, caches.pods),
  };
}

/** Returns the inputs with the record that adoption has corrected. */
export const withRecord = (inputs: ServiceInputs, record: BindingRecord): ServiceInputs => ({
  ...inputs,
  record,
  hints: hintsOf(inputs.service, record, inputs.parsed.options),
});

const keysOf = ({ key, deprecated }: Pick<OptionDefinition, 'key' | 'deprecated'>): readonly string[] => [
  key,
  ...deprecated,
];
const ID_KEYS: ReadonlySet<string> = new Set(keysOf(CATALOGUE.id));
/** The annotations about the load balancer itself, including `id`. */
const ATTRIBUTE_KEYS: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(([, entry]) => (entry.appliesTo.includes('load-balancer') ? keysOf(entry) : [])),
);

/** The Service that rules and policies evaluate. Its annotation `id` names the load balancer that serves the Service now. */
export interface EvaluatedInputs {
  readonly evaluatedService: Service;
  readonly parsed: ParsedAnnotations;
}

/** Returns the Service that rules and policies evaluate: the annotation `id` names the load balancer of `ref`. */
export function evaluatedAs({ service, parsed, requested }: ServiceInputs, ref: LoadBalancerRef): EvaluatedInputs {
  // An annotation `id` with an issue stays, because a rule reports the issue.
  const isUnreadable = ref === OWN && parsed.issues.some(({ option }) => option === 'id');
  if (requested === ref || isUnreadable) return { evaluatedService: service, parsed };
  // The attributes were meant for the requested load balancer, not for the user-managed load balancer `ref`.
  const keys = ref === OWN ? ID_KEYS : ATTRIBUTE_KEYS;
  const others = Object.entries(service.metadata.annotations ?? {}).filter(([name]) => !keys.has(name));
  const annotations = Object.fromEntries(ref === OWN ? others : [...others, [CATALOGUE.id.key, ref] as const]);
  const evaluatedService = { ...service, metadata: { ...service.metadata, annotations } };
  return { evaluatedService, parsed: parseAnnotations(annotations) };
}
