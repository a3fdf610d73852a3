import { CATALOGUE, type OptionName } from '../../annotation/catalogue.ts';
import { annotationField } from '../../annotation/annotation-field-path.ts';
import type { Violation, ServiceSubject } from '../rule.ts';

/** Returns the field and the text of an annotation as the user wrote them. */
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
