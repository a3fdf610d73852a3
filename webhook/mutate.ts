import { ENTRIES } from '../src/annotation/catalogue.ts';
import { currentKeyOf, deprecatedFormsOf } from '../src/annotation/deprecated.ts';
import type { Service } from '../src/objects.ts';
import { filledIn, fillingTexts, givenOf, NO_DEFAULTS, type Defaults } from './filling.ts';
import { keepMarks, keptText } from './kept-marks.ts';
import { renameOwned } from './owned-keys.ts';
import {
  rewrite,
  stayingBy,
  type Handling,
  type KeyGroup,
  type Rewrite,
  type Side,
  type Stays,
} from './deprecated-keys.ts';
import type { AdmissionRequest, Answer } from './review.ts';
import { plain } from './rules/engine/text.ts';
import { labelsBeside, labelTexts } from './node-labels.ts';
import { isClaimedByOthers, nameOf, wantsLoadBalancer, wasServed } from './rules/engine/subject.ts';
import { nodeIn, serviceIn, storedIn } from './shape.ts';
import { warningsOf } from './warnings.ts';
import { bringsAll, canBeFollowed, declarationsOf, type Carrier } from './writer.ts';

/** What to do with deprecated annotations: by the writer, or one way for all. */
export type DeprecatedKeys = 'auto' | Handling;

/** Current keys that cannot be taken from a Service that has a load balancer: the request would be refused. */
const FIXED: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(([, { key, mutability }]) => (mutability.kind === 'fixed' ? [key] : [])),
);

/**
 * Keeps on Services what the controller wrote and policies gave, gives new ones what policies have defaults for, and rewrites deprecated keys:
 * of annotations on Services, as `handling` says; of labels on Nodes, where the old one always stays because selectors use it. Emits explicit
 * operations, so that fields unknown here pass untouched. Idempotent. Never refuses.
 */
export function mutate(request: AdmissionRequest, handling: DeprecatedKeys, defaults: Defaults = NO_DEFAULTS): Answer {
  const concerns =
    (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
    request.subResource === '' &&
    request.kind.group === '';
  if (!concerns) return { allowed: true };
  if (request.kind.kind === 'Node') return mutateNode(request);
  return request.kind.kind === 'Service' ? mutateService(request, handling, defaults) : { allowed: true };
}

function mutateService(request: AdmissionRequest, wanted: DeprecatedKeys, defaults: Defaults): Answer {
  const stored = storedIn(request, serviceIn);
  const whose = plain(nameOf(request));
  const kept = keepMarks(serviceIn(request.object), stored);
  const { object } = kept;
  const way = wanted === 'auto' ? wayOf(object, request.options) : { handling: wanted };
  const rewriting = rewriteOf(stored, object, way);
  // What nobody says is seen once no copy of a deprecated key is left that goes with it; and what is given then is no such copy.
  const given = defaults(asRewritten(object, rewriting), stored, request.options);
  const rewritten = stayingBy(new Set(givenOf(given).map(({ key }) => key)), rewriting);
  const owned = renameOwned(object, rewritten.replaced);
  const texts = [...keptText(kept, whose), ...annotationTexts(rewritten, whose), ...fillingTexts(given, whose)];
  return {
    allowed: true,
    patch: [...kept.operations, ...rewritten.operations, ...owned, ...filledIn(object, given)],
    ...warningsOf(texts, whose, 'mutate'),
  };
}

function mutateNode(request: AdmissionRequest): Answer {
  const object = nodeIn(request.object);
  const stored = storedIn(request, nodeIn);
  const labels = object.metadata.labels ?? {};
  const whose = plain(nameOf(request));
  const texts = labelTexts(labels, stored?.metadata.labels ?? {}, whose);
  return { allowed: true, patch: labelsBeside(labels), ...warningsOf(texts, whose, 'mutate') };
}

/** How the keys of a request are handled. */
interface Way {
  readonly handling: Handling;
  /** What becomes of two keys that are stored beside each other; absent where that makes no difference. */
  readonly pairs?: Pick<KeyGroup, 'isPair' | 'stays'>;
}

/** By the writer; but what one who cannot be followed has had kept is left as a pair, whoever writes next. */
const wayOf = (object: Service, options: unknown): Way => ({
  handling: canBeFollowed(object, options) ? 'replace' : 'keep',
  pairs: { isPair: true, stays: bringsAll(options) ? 'left-in' : undefined },
});

/** Of a Service that others claim, nothing is rewritten. */
function rewriteOf(stored: Service | undefined, object: Service, { handling, pairs }: Way): Rewrite {
  const after = sideOf(object);
  const before = sideOf(stored);
  if (isClaimedByOthers(object)) return rewrite([], after, before, handling);
  const isServed = stored !== undefined && wasServed(stored) && wantsLoadBalancer(object);
  const groups = groupsOf([after, before], isServed).map((group) =>
    pairs !== undefined && isPair(group, before) ? { ...pairs, ...group } : group,
  );
  return rewrite(groups, after, before, handling);
}

const asRewritten = (object: Service, { operations, values }: Rewrite): Service =>
  operations.length === 0 ? object : { ...object, metadata: { ...object.metadata, annotations: values } };

const isPair = ({ current, olds }: KeyGroup, { values }: Side): boolean =>
  current in values && olds.some((old) => old in values);

const sideOf = (object: Carrier | undefined): Side => ({
  values: object?.metadata.annotations ?? {},
  declared: declarationsOf(object),
});

/** Every current key of which somebody mentions a deprecated form. */
function groupsOf(sides: readonly Side[], isServed: boolean): readonly KeyGroup[] {
  const mentioned = new Set(
    sides.flatMap(({ values, declared }) => [
      ...Object.keys(values),
      ...(declared.manifest ?? []),
      ...declared.applied,
    ]),
  );
  const currents = new Set([...mentioned].flatMap((key) => currentKeyOf(key) ?? []));
  return [...currents].sort().map((current) => ({
    current,
    olds: deprecatedFormsOf(current).filter((key) => mentioned.has(key)),
    ...(isServed && FIXED.has(current) ? { stays: 'fixed' as const } : {}),
  }));
}

const WHY_IT_STAYS: Readonly<Record<Stays, string>> = {
  fixed: ': the Service keeps its load balancer',
  'left-in': '; remove it too if it is not wanted',
};

const annotationTexts = ({ deprecated, contradictions, gone, orphans }: Rewrite, whose: string): readonly string[] => [
  ...contradictions.map(
    ({ old, current }) =>
      `${whose}: the annotations ${old} and ${current} say different things; the second counts, remove the first`,
  ),
  ...gone.map(
    ({ old, current }) =>
      `${whose}: the annotation ${current} goes with ${old}, of which it was the copy; if you have renamed it, apply once more`,
  ),
  ...orphans.map(
    ({ old, current, stays }) =>
      `${whose}: the annotation ${current} stays although ${old} is gone, of which it was the copy${WHY_IT_STAYS[stays]}`,
  ),
  ...deprecated.map(({ old, current, isStored }) =>
    isStored
      ? `${whose}: the annotation ${old} is deprecated and stored as ${current}; write that one`
      : `${whose}: the annotation ${old} is deprecated; write ${current}`,
  ),
];
