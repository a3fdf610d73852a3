import { deprecatedFormsOf } from '../src/annotation/deprecated.ts';
import type { Service } from '../src/objects.ts';
import type { Filling, Fillings } from '../src/policy/defaults.ts';
import { goesOn } from './rules/engine/presence.ts';
import { declarationsOf, isManifest, type Declarations } from './writer.ts';

/** Whether somebody says that the annotation belongs there, by whatever key. What a webhook has added nobody does. */
function isDeclared(key: string, { manifest = new Set(), applied, updated }: Declarations): boolean {
  const forms = [key, ...deprecatedFormsOf(key)];
  return [manifest, applied, updated].some((declared) => forms.some((form) => declared.has(form)));
}

/**
 * Of the annotations that policies have defaults for, those that a Service has been given, and of which a manifest that is put in its place says
 * nothing: who wrote it had never seen them, and does not mean to open what they close. They stay as they are stored, whatever the default
 * would be by now. What somebody has written goes, as they have taken it out; and whoever takes a key out of what is stored gets rid of it.
 * `fillings`: what such a Service would be given if it were new.
 */
export function keptDefaults(
  object: Service,
  stored: Service,
  fillings: (object: Service) => Fillings,
): readonly Filling[] {
  const before = stored.metadata.annotations ?? {};
  const after = object.metadata.annotations ?? {};
  if (!isManifest(object) || !goesOn(object, stored)) return [];
  if (Object.keys(before).every((key) => Object.hasOwn(after, key))) return [];
  const declared = declarationsOf(stored);
  const { filled, unfilled } = fillings(object);
  return [...filled, ...unfilled].flatMap(({ key, policy }) => {
    const value = before[key];
    return value === undefined || isDeclared(key, declared) ? [] : [{ key, value, policy }];
  });
}
