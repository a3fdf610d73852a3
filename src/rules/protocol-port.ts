import { CATALOGUE } from '../annotation/catalogue.ts';
import type { ProtocolPort } from '../annotation/value-type.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { ServicePort } from '../base/kubernetes-objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { exampleOf, HTTP_AND_HTTPS } from './engine/example-fragments.ts';
import { isUnreadable, managesListeners, numbersOf, transportOf } from './engine/service-listeners.ts';

const NONE: readonly Violation[] = [];

const CERT_ID = CATALOGUE.certId.key;

/** Without this rule, a wrong entry would leave a port with another protocol than the user expects. */
export const protocolPort: Rule = {
  name: 'protocol-port',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Each entry of the annotation protocol-port names a port of the Service with a protocol that the port supports. A port has one entry. An https listener has a certificate.',
  since: '0.1.0',
  examples: {
    wrong: exampleOf(HTTP_AND_HTTPS, { http: 80 }),
    right: exampleOf(HTTP_AND_HTTPS, { http: 80, https: 443 }),
  },
  // The annotation has no effect if listeners are not managed, which the rule `annotation-effect` reports.
  check: (subject) => (managesListeners(subject) ? violationsOf(subject) : NONE),
};

function violationsOf({ object, parsed }: ServiceSubject): readonly Violation[] {
  const entries = parsed.options.protocolPort;
  const ports = object.spec?.ports ?? [];
  if (entries === undefined || isPlain(entries, ports, parsed.options.certId !== undefined)) return [];
  const field = annotationField(parsed.keys.get('protocolPort') ?? CATALOGUE.protocolPort.key);
  const byNumber = Map.groupBy(ports, ({ port }) => port);
  const violations = entries.flatMap((entry, index): readonly Violation[] => {
    const base = { field, reason: 'Invalid' as const, value: `${entry.protocol}:${entry.port}` };
    const named = byNumber.get(entry.port) ?? [];
    const earlier = entries.slice(0, index).find((other) => isSamePort(other, entry, named.length > 1));
    if (earlier !== undefined) return earlier.protocol === entry.protocol ? [] : [{ ...base, ...twice(earlier) }];
    if (named.length === 0) return [{ ...base, ...nowhere(ports) }];
    const { fits = [], misfits = [] } = Object.groupBy(named, (port) => (isServed(port, entry) ? 'fits' : 'misfits'));
    const other = misfits.find((port) => !entries.some((one) => one.port === port.port && isServed(port, one)));
    if (fits.length > 0) return other === undefined ? [] : [{ ...base, ...forOneOf(entry, other) }];
    return misfits.slice(0, 1).map(({ protocol }) => ({ ...base, ...unfit(protocol ?? 'TCP') }));
  });
  const wantsHttps = entries.some(({ protocol, port }) => protocol === 'https' && byNumber.has(port));
  const isWithout = parsed.options.certId === undefined && !isUnreadable(parsed, 'certId');
  return wantsHttps && isWithout ? [...violations, withoutCertificate] : violations;
}

/** Returns whether each entry maps one port that supports its protocol, with a certificate for https. This common case allocates no memory. */
function isPlain(entries: readonly ProtocolPort[], ports: readonly ServicePort[], hasCertificate: boolean): boolean {
  for (const entry of entries) {
    if (entry.protocol === 'https' && !hasCertificate) return false;
    let named = 0;
    for (const port of ports) {
      if (port.port !== entry.port) continue;
      if (!isServed(port, entry)) return false;
      named += 1;
    }
    for (const other of entries) if (other !== entry && other.port === entry.port) return false;
    if (named !== 1) return false;
  }
  return true;
}

/** Returns whether two entries are for the same port. `isTwice` means that the Service has the port number for TCP and for UDP. */
const isSamePort = (left: ProtocolPort, right: ProtocolPort, isTwice: boolean): boolean =>
  left.port === right.port && (!isTwice || transportOf(left.protocol) === transportOf(right.protocol));

/** Returns whether a listener with the protocol of the entry can serve the port. */
const isServed = ({ protocol = 'TCP' }: ServicePort, entry: ProtocolPort): boolean =>
  protocol.toLowerCase() === transportOf(entry.protocol);

type PortAdvice = Pick<Violation, 'detail' | 'remedy' | 'advice' | 'atApplyOnly'>;

const twice = ({ protocol, port }: ProtocolPort): PortAdvice => ({
  detail: `has no effect: the entry ${protocol}:${port} maps the same port`,
  remedy: 'remove one of the two entries',
  atApplyOnly: true,
});

const nowhere = (ports: readonly ServicePort[]): PortAdvice => ({
  detail: `must name a port of the Service: ${numbersOf(ports)}`,
  atApplyOnly: true,
});

const unfit = (protocol: string): PortAdvice => ({
  detail: protocol === 'UDP' ? 'must be udp: the port is UDP' : 'must be tcp, http or https: the port is TCP',
});

/** Returns a warning for an entry that applies to one of two ports with the same number. The other port keeps its own listener. */
const forOneOf = ({ port, protocol }: ProtocolPort, { protocol: other = 'TCP' }: ServicePort): PortAdvice => ({
  detail: `maps only the ${transportOf(protocol).toUpperCase()} port ${port}: the ${other} port ${port} keeps its listener`,
  advice: true,
});

const withoutCertificate: Violation = {
  field: annotationField(CERT_ID),
  reason: 'Required',
  value: '',
  detail: 'an https listener needs a certificate',
  remedy: 'set this annotation, or map the port to tcp or http',
};
