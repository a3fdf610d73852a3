import type { Finding } from '../rules/engine/evaluate.ts';
import { unownedKeys } from '../annotation/field-managers.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import { CHECKS } from './lint-check-docs.ts';

/** Returns a finding `undeclared-copy` for each annotation that the webhook added and the manifest omits, because it stays in effect. */
export const copyFindings = (manifest: Service, stored: Service): readonly Finding[] =>
  unownedKeys(stored)
    .filter((key) => !Object.hasOwn(manifest.metadata.annotations ?? {}, key))
    .map((key) => ({
      rule: CHECKS.copy,
      violation: {
        field: annotationField(key),
        reason: 'Invalid',
        value: stored.metadata.annotations?.[key] ?? '',
        detail: 'the annotation is stored, but the manifest does not have it and no client owns it',
        remedy: `add it to the manifest, or remove it with: kubectl annotate service ${stored.metadata.name} -n ${stored.metadata.namespace} ${key}-`,
        advice: true,
      },
    }));
