import { currentKeyOf } from '../../annotation/deprecated.ts';
import type { Violation, Subject } from '../rule.ts';
import type { Finding } from './evaluate.ts';

const ANNOTATION = 'metadata.annotations[';
const PORT = /^spec\.ports\[(\d{1,9})\]/;

/** The field, under its current key: a deprecated one is rewritten on the way, and a fault stays the same by that. */
function currentField({ field }: Violation): string {
  if (!field.startsWith(ANNOTATION)) return field;
  const current = currentKeyOf(field.slice(ANNOTATION.length, -1));
  return current === undefined ? field : `${ANNOTATION}${current}]`;
}

/** The field of a port by what Kubernetes tells ports apart by: its place changes when another comes or goes. Absent for any other. */
function portField({ field }: Violation, subject: Subject): string | undefined {
  const [head = '', index = ''] = PORT.exec(field) ?? [];
  if (subject.kind !== 'Service' || index === '') return undefined;
  const { port, protocol = 'TCP' } = subject.object.spec?.ports?.[Number(index)] ?? {};
  return port === undefined ? undefined : `spec.ports[${port}/${protocol}]${field.slice(head.length)}`;
}

/** Same rule, same field, same value that counts, on the same load balancer: the same fault, whatever the texts around it say today. One in a port has a second name. */
export function identitiesOf({ rule, fault }: Finding, subject: Subject): readonly string[] {
  const ofPort = portField(fault, subject);
  const fields = ofPort === undefined ? [currentField(fault)] : [currentField(fault), ofPort];
  return fields.map((field) => JSON.stringify([rule.name, field, fault.counts ?? fault.found, fault.on]));
}
