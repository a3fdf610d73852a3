import { currentKeyOf } from '../../annotation/deprecated-key-index.ts';
import type { Violation, Subject } from '../rule.ts';
import type { Finding } from './evaluate.ts';

const ANNOTATION = 'metadata.annotations[';
const PORT = /^spec\.ports\[(\d{1,9})\]/;

/** Returns the field path with the current annotation key, so that a rewrite of a deprecated key does not change the identity. */
function currentField({ field }: Violation): string {
  if (!field.startsWith(ANNOTATION)) return field;
  const current = currentKeyOf(field.slice(ANNOTATION.length, -1));
  return current === undefined ? field : `${ANNOTATION}${current}]`;
}

/** Returns the field path of a port by number and protocol, because indexes can shift. Returns undefined for any other field. */
function portField({ field }: Violation, subject: Subject): string | undefined {
  const [head = '', index = ''] = PORT.exec(field) ?? [];
  if (subject.kind !== 'Service' || index === '') return undefined;
  const { port, protocol = 'TCP' } = subject.object.spec?.ports?.[Number(index)] ?? {};
  return port === undefined ? undefined : `spec.ports[${port}/${protocol}]${field.slice(head.length)}`;
}

/** Returns the identities of a finding. A port has two identities, because either its index or its number can change. */
export function identitiesOf({ rule, violation }: Finding, subject: Subject): readonly string[] {
  const ofPort = portField(violation, subject);
  const fields = ofPort === undefined ? [currentField(violation)] : [currentField(violation), ofPort];
  return fields.map((field) =>
    JSON.stringify([rule.name, field, violation.effective ?? violation.value, violation.on]),
  );
}
