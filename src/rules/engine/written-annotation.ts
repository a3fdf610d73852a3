import { CATALOGUE, type OptionName } from '../../annotation/catalogue.ts';
import { annotationField } from '../../annotation/annotation-field.ts';
import type { Violation, ServiceSubject } from '../rule.ts';

/** Returns field and text of an annotation as the user wrote it, for a violation. For an unset annotation, the current key and an empty text. */
export function writtenAs(
  option: OptionName,
  { object, parsed }: Pick<ServiceSubject, 'object' | 'parsed'>,
): Pick<Violation, 'field' | 'value'> {
  const key = parsed.keys.get(option);
  return {
    field: annotationField(key ?? CATALOGUE[option].key),
    value: key === undefined ? '' : (object.metadata.annotations?.[key] ?? ''),
  };
}
