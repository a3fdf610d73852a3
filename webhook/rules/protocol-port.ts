import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import type { ProtocolPort } from '../../src/annotation/value-type.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { annotationField, managesListeners, transportOf } from './engine/listeners.ts';

const CERT_ID = CATALOGUE.certId.key;

export const protocolPort: Rule = {
  name: 'protocol-port',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Each entry of the annotation protocol-port names a port of the Service, once, with a protocol that fits it; no two ports end as one listener; an https listener has a certificate.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-protocol-port: "http:80,https:443"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-cert-id: "1234567890_17e0b2f8c9a"
spec:
  ports:
    - name: http
      port: 80
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-protocol-port: "http:80,https:443"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-cert-id: "1234567890_17e0b2f8c9a"
spec:
  ports:
    - name: http
      port: 80
    - name: https
      port: 443
`,
  },
  check: (subject) => {
    const faults = faultsOf(subject);
    // On a load balancer whose listeners are not managed the annotation does nothing, and so does a mistake in it.
    return managesListeners(subject) ? faults : faults.map((fault) => ({ ...fault, advice: true as const }));
  },
};

function faultsOf({ object, parsed }: ServiceSubject): readonly Fault[] {
  const entries = parsed.options.protocolPort;
  if (entries === undefined) return [];
  const field = annotationField(parsed.keys.get('protocolPort') ?? CATALOGUE.protocolPort.key);
  const ports = object.spec?.ports ?? [];
  const faults = entries.flatMap((entry, index): readonly Fault[] => {
    const found = `${entry.protocol}:${entry.port}`;
    const earlier = entries.slice(0, index).find(({ port }) => port === entry.port);
    if (earlier !== undefined) return earlier.protocol === entry.protocol ? [] : [{ field, found, ...twice(earlier) }];
    const named = ports.filter(({ port }) => port === entry.port);
    if (named.length === 0) return [{ field, found, ...nowhere(ports.map(({ port }) => port)) }];
    const misfit = named.find(({ protocol = 'TCP' }) => protocol.toLowerCase() !== transportOf(entry.protocol));
    if (misfit === undefined) return [];
    return [{ field, found, ...(named.length > 1 ? oneListener(entry) : unfit(misfit.protocol ?? 'TCP')) }];
  });
  const wantsHttps = entries.some(
    ({ protocol, port }) => protocol === 'https' && ports.some((own) => own.port === port),
  );
  return wantsHttps && !parsed.keys.has('certId') ? [...faults, withoutCertificate] : faults;
}

type Said = Pick<Fault, 'allowed' | 'fix'>;

const twice = ({ protocol, port }: ProtocolPort): Said => ({
  allowed: 'one entry a port',
  fix: `remove it or the earlier ${protocol}:${port}, which counts`,
});

const nowhere = (ports: readonly number[]): Said => ({
  allowed: `a port of the Service (${[...new Set(ports)].join(', ') || 'it has none'})`,
  fix: 'name one of them, add the port under spec.ports, or remove the entry',
});

const unfit = (protocol: string): Said => ({
  allowed: protocol === 'UDP' ? 'udp, as the port is UDP' : 'tcp, http or https, as the port is TCP',
  fix: 'change the entry, or the protocol under spec.ports',
});

const oneListener = ({ port }: ProtocolPort): Said => ({
  allowed: `no entry for ${port}, which the Service has as TCP and as UDP`,
  fix: 'remove the entry, by which both ports would end as one listener',
});

const withoutCertificate: Fault = {
  field: annotationField(CERT_ID),
  found: '',
  allowed: 'the id of a server certificate, which an https listener needs',
  fix: 'add it, or map the port to tcp or http',
};
