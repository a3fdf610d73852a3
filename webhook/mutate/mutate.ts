import { isDeepStrictEqual } from 'node:util';
import { keyOwnershipOf, type Annotated } from '../../src/annotation/field-managers.ts';
import { currentKeyOf, deprecatedFormsOf } from '../../src/annotation/deprecated-key-index.ts';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { rewriteTexts, unchangedTexts, type Named } from './deprecated-key-texts.ts';
import {
  rewrite,
  withoutRemovalOf,
  type KeyGroup,
  type DeprecatedPair,
  type KeyRequest,
  type Rewrite,
  type Side,
} from './deprecated-keys.ts';
import { defaultOperations, defaultTexts, allDefaultsOf, NO_DEFAULTS, type Defaults } from './policy-defaults.ts';
import type { KeyHandling } from './current-key-decisions.ts';
import { renameOwned } from './managed-fields-patch.ts';
import type { AdmissionRequest, AdmissionResponse } from '../admission/admission-review.ts';
import { plain } from '../../src/rules/engine/safe-text.ts';
import { addedLabels, labelTexts } from './deprecated-node-labels.ts';
import { isManagedByOtherController, nameOf } from '../../src/rules/engine/subject.ts';
import { nodeIn, serviceIn, storedIn } from '../admission/review-objects.ts';
import { warningsOf } from '../admission/warnings.ts';
import { mayReplaceKeysFor, fieldManagerOf, isApply, mayChangeNothing } from './request-field-manager.ts';

/** The handling of deprecated annotations. `auto` depends on the writer of each request. The other values apply to all writers. */
export type DeprecatedKeys = 'auto' | KeyHandling;

/** Rewrites deprecated keys and adds policy defaults. A second call with the result changes nothing. */
export function mutate(
  request: AdmissionRequest,
  handling: DeprecatedKeys,
  defaults: Defaults = NO_DEFAULTS,
): AdmissionResponse {
  const isRelevant =
    (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
    request.subResource === '' &&
    request.kind.group === '';
  if (!isRelevant) return { allowed: true };
  if (request.kind.kind === 'Node') return mutateNode(request);
  return request.kind.kind === 'Service' ? mutateService(request, handling, defaults) : { allowed: true };
}

function mutateService(request: AdmissionRequest, wanted: DeprecatedKeys, defaults: Defaults): AdmissionResponse {
  const stored = storedIn(request, serviceIn);
  const named = namedIn(request);
  const { objectName } = named;
  const object = serviceIn(request.object);
  const keys = keyRequestOf(stored, object, request.options);
  const groups = isManagedByOtherController(object) ? [] : groupsOf([keys.after, keys.before]);
  const rewriting = rewrite(groups, keys, handlingFor(wanted, object, request.options, keys.before));
  // The defaults depend on the rewritten annotations. If a policy has a default for a current key, the rewrite no longer removes the key.
  const serviceDefaults = defaults(asRewritten(object, rewriting), stored, request.options);
  const rewritten = withoutRemovalOf(new Set(allDefaultsOf(serviceDefaults).map(({ key }) => key)), rewriting);
  const owned = renameOwned(
    object,
    rewritten.deprecated.filter(({ isReplaced }) => isReplaced),
  );
  const texts = [
    ...rewriteTexts(rewritten, named),
    ...(isUnchanged(request) ? unchangedTexts(replacedBefore(groups, keys.after), named) : []),
    ...defaultTexts(serviceDefaults, objectName),
  ];
  return {
    allowed: true,
    // Patches of single keys preserve unknown fields.
    patch: [...rewritten.operations, ...owned, ...defaultOperations(object, serviceDefaults)],
    ...warningsOf(texts, objectName, 'mutate'),
  };
}

function mutateNode(request: AdmissionRequest): AdmissionResponse {
  const object = nodeIn(request.object);
  const stored = storedIn(request, nodeIn);
  const labels = object.metadata.labels ?? {};
  const objectName = plain(nameOf(request));
  const texts = labelTexts(labels, stored?.metadata.labels ?? {}, objectName);
  return { allowed: true, patch: addedLabels(labels), ...warningsOf(texts, objectName, 'mutate') };
}

const namedIn = (request: AdmissionRequest): Named => ({
  objectName: plain(nameOf(request)),
  argument: plain(`service ${request.name} -n ${request.namespace}`),
});

/** Returns the handling of each group. With `auto`, a stored pair of old and current key is kept. */
function handlingFor(wanted: DeprecatedKeys, object: Service, options: unknown, before: Side) {
  const handling: KeyHandling = wanted === 'auto' ? (mayReplaceKeysFor(object, options) ? 'replace' : 'keep') : wanted;
  return (group: KeyGroup): KeyHandling => (wanted === 'auto' && isPair(group, before) ? 'keep' : handling);
}

const isPair = ({ current, deprecatedForms }: KeyGroup, { values }: Side): boolean =>
  current in values && deprecatedForms.some((old) => old in values);

const asRewritten = (object: Service, { operations, values }: Rewrite): Service =>
  operations.length === 0 ? object : { ...object, metadata: { ...object.metadata, annotations: values } };

const sideOf = (object: Annotated | undefined): Side => ({
  values: object?.metadata.annotations ?? {},
  ownership: keyOwnershipOf(object),
});

const keyRequestOf = (stored: Service | undefined, object: Service, options: unknown): KeyRequest => ({
  after: sideOf(object),
  before: sideOf(stored),
  isApply: isApply(object, fieldManagerOf(options)),
});

/** Returns every current key with the deprecated forms that the new or the stored object has in annotations, last manifests or owned fields. */
function groupsOf(sides: readonly Side[]): readonly KeyGroup[] {
  const mentioned = new Set(
    sides.flatMap(({ values, ownership: { lastApplied = [], applied, updated } }) => [
      ...Object.keys(values),
      ...lastApplied,
      ...applied,
      ...updated,
    ]),
  );
  const currents = new Set([...mentioned].flatMap((key) => currentKeyOf(key) ?? []));
  return [...currents]
    .sort()
    .map((current) => ({ current, deprecatedForms: deprecatedFormsOf(current).filter((key) => mentioned.has(key)) }));
}

/** Returns whether a `kubectl` patch changes nothing. If so, the patch may remove a missing key, which a review does not show. */
const isUnchanged = ({ operation, object, oldObject, options }: AdmissionRequest): boolean =>
  operation === 'UPDATE' && mayChangeNothing(options) && isDeepStrictEqual(object, oldObject);

/** Returns the old keys whose annotations are stored only under their current keys. */
const replacedBefore = (groups: readonly KeyGroup[], { values }: Side): readonly DeprecatedPair[] =>
  groups
    .filter(({ current, deprecatedForms }) => current in values && !deprecatedForms.some((old) => old in values))
    .flatMap(({ current, deprecatedForms }) => deprecatedForms.slice(0, 1).map((old) => ({ old, current })));
