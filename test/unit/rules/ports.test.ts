import { backendWeight } from '../../../src/rules/backend-weight.ts';
import { forwardPort } from '../../../src/rules/forward-port.ts';
import { listenerQuota } from '../../../src/rules/listener-quota.ts';
import { portProtocol } from '../../../src/rules/port-protocol.ts';
import { protocolPort } from '../../../src/rules/protocol-port.ts';
import { targetPort } from '../../../src/rules/target-port.ts';
import { vgroupPort } from '../../../src/rules/vgroup-port.ts';
import { describeViolations } from '../../support/rule-violations.ts';

const ENI = { 'service.beta.kubernetes.io/backend-type': 'eni' };
const CERTIFIED = { 'protocol-port': 'http:80,https:443', 'cert-id': '1-cn' };
const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const REDIRECT = { ...OVERRIDE, 'protocol-port': 'http:80', 'forward-port': '80:443' };
const STALE = { kind: 'stale', ageMs: 3_600_000 } as const;
const UDP = { port: 443, protocol: 'UDP', nodePort: 30_444 };
const shared = (protocol?: 'tcp' | 'udp' | 'https') => ({
  loadBalancers: { 'lb-1': { listeners: protocol === undefined ? [] : [{ port: 443, protocol }] } },
});
const numbered = (count: number, from = 1): number[] => Array.from({ length: count }, (_, index) => from + index);
const listeners = (count: number) => numbered(count, 9_000).map((port) => ({ port, protocol: 'tcp' as const }));
const OWN = { port: 1000, protocol: 'tcp', service: 'shop/web' } as const;

/**
 * The cloud rejects invalid ports only after the deployment.
 * In `finds`, `?` marks a warning, and `~` a violation that is synced anyway.
 */
describeViolations(forwardPort, {
  'a redirect from http to https': { keys: { ...CERTIFIED, 'forward-port': '80:443' }, ports: [80, 443], finds: [] },
  'a redirect from a port that the Service lacks, which is always ignored': {
    keys: { ...CERTIFIED, 'forward-port': '81:443' },
    ports: [80, 443],
    finds: ['forward-port=81:443~'],
  },
  'a redirect from a port that is not http': {
    keys: { 'protocol-port': 'https:443', 'cert-id': '1-cn', 'forward-port': '80:443' },
    ports: [80, 443],
    finds: ['forward-port=80:443?'],
  },
  'a redirect to a port that is not https': {
    keys: { 'protocol-port': 'http:80', 'forward-port': '80:443' },
    ports: [80, 443],
    finds: ['forward-port=80:443'],
  },
  'a redirect to a port that the Service lacks': {
    keys: { 'protocol-port': 'http:80', 'forward-port': '80:443' },
    finds: ['forward-port=80:443'],
  },
  'a redirect to a UDP port': {
    keys: { 'protocol-port': 'http:80', 'forward-port': '80:443' },
    ports: [80, UDP],
    finds: ['forward-port=80:443'],
  },
  'a redirect to itself': {
    keys: { 'protocol-port': 'http:80', 'forward-port': '80:80' },
    finds: ['forward-port=80:80'],
  },
  'a loop': {
    keys: { 'protocol-port': 'http:80,http:81', 'forward-port': '80:81,81:80' },
    ports: [80, 81],
    finds: ['forward-port=80:81', 'forward-port=81:80'],
  },
  'a chain with a valid end and an invalid first step': {
    keys: { 'protocol-port': 'http:80,http:81,https:443', 'cert-id': '1-cn', 'forward-port': '80:81,81:443' },
    ports: [80, 81, 443],
    finds: ['forward-port=80:81'],
  },
  'two ports to the same target': {
    keys: { 'protocol-port': 'http:80,http:81,https:443', 'cert-id': '1-cn', 'forward-port': '80:443,81:443' },
    ports: [80, 81, 443],
    finds: [],
  },
  'the same port twice with two targets': {
    keys: { ...CERTIFIED, 'forward-port': '80:443,80:443,80:444' },
    ports: [80, 443],
    finds: ['forward-port=80:444~'],
  },
  'unmanaged listeners, which another rule reports': {
    keys: { id: 'lb-1', 'protocol-port': 'http:80', 'forward-port': '80:80' },
    finds: [],
  },
  'an unreadable mapping': { keys: { 'protocol-port': 'http80', 'forward-port': '80:443' }, finds: [] },
  'an https target on a shared load balancer': { keys: REDIRECT, facts: shared('https'), finds: [] },
  'a target of another Service on a shared load balancer': {
    keys: REDIRECT,
    facts: { ...shared(), holders: { 'lb-1': [['bank/secure', 443, 'https']] } },
    finds: [],
  },
  'a missing target': { keys: REDIRECT, facts: shared(), finds: ['forward-port=80:443?'] },
  'a target with UDP only': { keys: REDIRECT, facts: shared('udp'), finds: ['forward-port=80:443?'] },
  'a target with TCP': { keys: REDIRECT, facts: shared('tcp'), finds: ['forward-port=80:443'] },
  'a target with TCP in a stale inventory': {
    keys: REDIRECT,
    facts: { ...shared('tcp'), freshness: STALE },
    finds: ['forward-port=80:443?'],
  },
  'a target on an unknown load balancer': { keys: REDIRECT, finds: [] },
});

describeViolations(vgroupPort, {
  'a group for each port': { keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80,rsp-2:81' }, ports: [80, 81], finds: [] },
  'a group for a port that the Service lacks': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:81' },
    finds: ['vgroup-port=rsp-1:81~'],
  },
  'two groups for the same port': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80,rsp-1:80,rsp-2:80' },
    finds: ['vgroup-port=rsp-2:80~'],
  },
  'the same group for two ports': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80,rsp-1:81' },
    ports: [80, 81],
    finds: ['vgroup-port=rsp-1:81?'],
  },
  'the same group for two ports with the same target port': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80,rsp-1:81' },
    ports: [80, { port: 81, targetPort: 80, nodePort: 30_081 }],
    finds: [],
  },
  'an owned load balancer, which another rule reports': { keys: { 'vgroup-port': 'rsp-1:81' }, finds: [] },
});

describeViolations(backendWeight, {
  'the annotation weight with user-managed groups': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80', weight: '60' },
    finds: [],
  },
  'the annotation weight without a group': { keys: { id: 'lb-1', weight: '60' }, finds: ['weight=60?'] },
  'the annotation weight on an owned load balancer': {
    keys: { weight: '60', 'vgroup-port': 'rsp-1:80' },
    finds: ['weight=60?'],
  },
  'the annotation weight with unreadable groups': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1', weight: '60' },
    finds: [],
  },
  'a default weight with the annotation weight, which overrides the default': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80', weight: '60', 'default-weight': '50' },
    finds: ['default-weight=50?'],
  },
  'a default weight with the traffic policy Local, which overrides the default': {
    keys: { 'default-weight': '50' },
    spec: { externalTrafficPolicy: 'Local' },
    finds: ['default-weight=50?'],
  },
  'a default weight for pods, with the traffic policy Local': {
    keys: { ...ENI, 'default-weight': '50' },
    spec: { externalTrafficPolicy: 'Local' },
    finds: [],
  },
  'the annotation weight with a scheduler that ignores weights': {
    keys: { ...OVERRIDE, 'vgroup-port': 'rsp-1:80', weight: '60', scheduler: 'rr' },
    finds: ['weight=60?'],
  },
  'the annotation weight with the annotation scheduler on unmanaged listeners': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80', weight: '60', scheduler: 'rr' },
    finds: [],
  },
  'the default weight zero, which every scheduler respects': {
    keys: { 'default-weight': '0', scheduler: 'rr' },
    finds: [],
  },
  'a default weight without the annotation scheduler': { keys: { 'default-weight': '50' }, finds: [] },
});

describeViolations(listenerQuota, {
  'fifty ports': { ports: numbered(50), finds: [] },
  'fifty-one ports': { ports: numbered(51), finds: ['spec.ports=51~'] },
  'fifty-one ports, of which one gets no listener': {
    ports: [...numbered(50), { port: 3868, protocol: 'SCTP' }],
    finds: [],
  },
  'as many ports as the quota allows': {
    keys: OVERRIDE,
    ports: [80, 443],
    facts: { loadBalancers: { 'lb-1': { listeners: listeners(48) } } },
    finds: [],
  },
  'more ports than the quota allows': {
    keys: OVERRIDE,
    ports: [80, 443],
    facts: { loadBalancers: { 'lb-1': { listeners: listeners(49) } } },
    finds: ['spec.ports=2~'],
  },
  'more ports than the quota allows, in a stale inventory': {
    keys: OVERRIDE,
    ports: [80, 443],
    facts: { freshness: STALE, loadBalancers: { 'lb-1': { listeners: listeners(49) } } },
    finds: ['spec.ports=2?~'],
  },
  'existing listeners for all ports': {
    keys: OVERRIDE,
    ports: [9_000, 9_001],
    facts: { loadBalancers: { 'lb-1': { listeners: listeners(50) } } },
    finds: [],
  },
  'a replaced port at the quota': {
    keys: OVERRIDE,
    ports: [8080],
    before: { keys: OVERRIDE, ports: [1000] },
    facts: { loadBalancers: { 'lb-1': { listeners: [...listeners(49), OWN] } } },
    finds: [],
  },
  'two ports for a replaced port at the quota': {
    keys: OVERRIDE,
    ports: [8080, 8081],
    before: { keys: OVERRIDE, ports: [1000] },
    facts: { loadBalancers: { 'lb-1': { listeners: [...listeners(49), OWN] } } },
    finds: ['spec.ports=2~'],
  },
  'a replaced port of an account with a larger quota': {
    keys: OVERRIDE,
    ports: [8080],
    before: { keys: OVERRIDE, ports: [1000] },
    facts: { loadBalancers: { 'lb-1': { listeners: [...listeners(59), OWN] } } },
    finds: [],
  },
  'fewer ports than before, and still too many': {
    ports: numbered(53),
    before: { ports: numbered(55) },
    finds: ['spec.ports=53?~'],
  },
  'more ports than before, which were too many': {
    ports: numbered(55),
    before: { ports: numbered(53) },
    finds: ['spec.ports=55~'],
  },
  'as many ports as before, which had no listeners: the type was ClusterIP': {
    ports: numbered(53),
    before: { ports: numbered(53), type: 'ClusterIP' },
    finds: ['spec.ports=53~'],
  },
  'as many ports as before, whose listeners were on a user-managed load balancer': {
    ports: numbered(53),
    before: { ports: numbered(53), keys: { id: 'lb-1' } },
    finds: ['spec.ports=53~'],
  },
  'too many ports with unmanaged listeners': {
    keys: { id: 'lb-1' },
    ports: numbered(60),
    facts: { loadBalancers: { 'lb-1': { listeners: listeners(50) } } },
    finds: [],
  },
});

describeViolations(protocolPort, {
  'unmanaged listeners, which another rule reports': {
    keys: { id: 'lb-1', 'protocol-port': 'https:81' },
    finds: [],
  },
  'an entry for a port that the Service lacks, which is always ignored': {
    keys: { 'protocol-port': 'tcp:81' },
    finds: ['protocol-port=tcp:81~'],
  },
});

describeViolations(targetPort, {
  'a named target port, which the controller resolves for pods': {
    keys: ENI,
    ports: [{ port: 80, targetPort: 'web' }],
    spec: { allocateLoadBalancerNodePorts: false },
    finds: [],
  },
  'a named target port without a letter': {
    ports: [{ port: 80, targetPort: '8080' }],
    finds: ['spec.ports[0].targetPort=8080'],
  },
  'ports that are null': { spec: { ports: null }, finds: [] },
  'the target port zero, which means none': { ports: [{ port: 80, targetPort: 0 }], finds: [] },
  'omitted node ports with pods as backends': {
    keys: ENI,
    ports: [{ port: 80, targetPort: 8080 }],
    spec: { allocateLoadBalancerNodePorts: false },
    finds: [],
  },
  'omitted node ports without facts about the cluster': {
    ports: [{ port: 80, targetPort: 8080 }],
    spec: { allocateLoadBalancerNodePorts: false },
    facts: { cluster: null },
    finds: [],
  },
});

describeViolations(portProtocol, {
  'ports that are null': { spec: { ports: null }, finds: [] },
  'a port without a protocol': { ports: [{ port: 80 }], finds: [] },
  'an SCTP port next to a TCP port': {
    ports: [80, { port: 3868, protocol: 'SCTP' }],
    finds: ['spec.ports[1].protocol=SCTP'],
  },
});
