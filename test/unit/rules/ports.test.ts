import { backendWeight } from '../../../src/rules/backend-weight.ts';
import { forwardPort } from '../../../src/rules/forward-port.ts';
import { listenerQuota } from '../../../src/rules/listener-quota.ts';
import { portProtocol } from '../../../src/rules/port-protocol.ts';
import { protocolPort } from '../../../src/rules/protocol-port.ts';
import { targetPort } from '../../../src/rules/target-port.ts';
import { vgroupPort } from '../../../src/rules/vgroup-port.ts';
import { on } from '../../support/found.ts';

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

on(forwardPort, {
  'a redirect from http to https': { keys: { ...CERTIFIED, 'forward-port': '80:443' }, ports: [80, 443], finds: [] },
  'a port that the Service does not have, which has always been passed over': {
    keys: { ...CERTIFIED, 'forward-port': '81:443' },
    ports: [80, 443],
    finds: ['forward-port=81:443~'],
  },
  'a redirect from a port that is no http': {
    keys: { 'protocol-port': 'https:443', 'cert-id': '1-cn', 'forward-port': '80:443' },
    ports: [80, 443],
    finds: ['forward-port=80:443?'],
  },
  'a redirect to a port that is no https': {
    keys: { 'protocol-port': 'http:80', 'forward-port': '80:443' },
    ports: [80, 443],
    finds: ['forward-port=80:443'],
  },
  'a redirect to a port that the Service does not have': {
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
  'a chain that ends well, of which the first step does not': {
    keys: { 'protocol-port': 'http:80,http:81,https:443', 'cert-id': '1-cn', 'forward-port': '80:81,81:443' },
    ports: [80, 81, 443],
    finds: ['forward-port=80:81'],
  },
  'two ports to one': {
    keys: { 'protocol-port': 'http:80,http:81,https:443', 'cert-id': '1-cn', 'forward-port': '80:443,81:443' },
    ports: [80, 81, 443],
    finds: [],
  },
  'a port twice, and to another the second time': {
    keys: { ...CERTIFIED, 'forward-port': '80:443,80:443,80:444' },
    ports: [80, 443],
    finds: ['forward-port=80:444~'],
  },
  'listeners that are not managed, which another rule tells of': {
    keys: { id: 'lb-1', 'protocol-port': 'http:80', 'forward-port': '80:80' },
    finds: [],
  },
  'a mapping that cannot be read': { keys: { 'protocol-port': 'http80', 'forward-port': '80:443' }, finds: [] },
  'a target of a shared load balancer that is https': { keys: REDIRECT, facts: shared('https'), finds: [] },
  'a target that another Service of it holds': {
    keys: REDIRECT,
    facts: { ...shared(), holders: { 'lb-1': [['bank/secure', 443, 'https']] } },
    finds: [],
  },
  'a target that is not there yet': { keys: REDIRECT, facts: shared(), finds: ['forward-port=80:443?'] },
  'a target that is UDP alone': { keys: REDIRECT, facts: shared('udp'), finds: ['forward-port=80:443?'] },
  'a target that is TCP': { keys: REDIRECT, facts: shared('tcp'), finds: ['forward-port=80:443'] },
  'a target that was TCP an hour ago': {
    keys: REDIRECT,
    facts: { ...shared('tcp'), freshness: STALE },
    finds: ['forward-port=80:443?'],
  },
  'a target on a load balancer that nothing is known of': { keys: REDIRECT, finds: [] },
});

on(vgroupPort, {
  'a group for each port': { keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80,rsp-2:81' }, ports: [80, 81], finds: [] },
  'a port that the Service does not have': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:81' },
    finds: ['vgroup-port=rsp-1:81~'],
  },
  'two groups for one port': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80,rsp-1:80,rsp-2:80' },
    finds: ['vgroup-port=rsp-2:80~'],
  },
  'one group for two ports': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80,rsp-1:81' },
    ports: [80, 81],
    finds: ['vgroup-port=rsp-1:81?'],
  },
  'one group for two ports that end at the same one': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80,rsp-1:81' },
    ports: [80, { port: 81, targetPort: 80, nodePort: 30_081 }],
    finds: [],
  },
  'a load balancer of its own, which another rule tells of': { keys: { 'vgroup-port': 'rsp-1:81' }, finds: [] },
});

on(backendWeight, {
  'a share of groups of the user': { keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80', weight: '60' }, finds: [] },
  'a share without a group': { keys: { id: 'lb-1', weight: '60' }, finds: ['weight=60?'] },
  'a share on a load balancer of its own': { keys: { weight: '60', 'vgroup-port': 'rsp-1:80' }, finds: ['weight=60?'] },
  'a share of groups that cannot be read': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1', weight: '60' },
    finds: [],
  },
  'a default that a share overrules': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80', weight: '60', 'default-weight': '50' },
    finds: ['default-weight=50?'],
  },
  'a default that the number of pods overrules': {
    keys: { 'default-weight': '50' },
    spec: { externalTrafficPolicy: 'Local' },
    finds: ['default-weight=50?'],
  },
  'a default of pods, whatever the policy': {
    keys: { ...ENI, 'default-weight': '50' },
    spec: { externalTrafficPolicy: 'Local' },
    finds: [],
  },
  'weights that a scheduler does not look at': {
    keys: { ...OVERRIDE, 'vgroup-port': 'rsp-1:80', weight: '60', scheduler: 'rr' },
    finds: ['weight=60?'],
  },
  'weights that somebody else spreads by': {
    keys: { id: 'lb-1', 'vgroup-port': 'rsp-1:80', weight: '60', scheduler: 'rr' },
    finds: [],
  },
  'no weight at all, which every scheduler heeds': { keys: { 'default-weight': '0', scheduler: 'rr' }, finds: [] },
  'weights and a scheduler that is left as it is': { keys: { 'default-weight': '50' }, finds: [] },
});

on(listenerQuota, {
  'fifty ports': { ports: numbered(50), finds: [] },
  'one more': { ports: numbered(51), finds: ['spec.ports=51~'] },
  'one more that can have no listener': {
    ports: [...numbered(50), { port: 3868, protocol: 'SCTP' }],
    finds: [],
  },
  'as many as there is room for': {
    keys: OVERRIDE,
    ports: [80, 443],
    facts: { loadBalancers: { 'lb-1': { listeners: listeners(48) } } },
    finds: [],
  },
  'more than there is room for': {
    keys: OVERRIDE,
    ports: [80, 443],
    facts: { loadBalancers: { 'lb-1': { listeners: listeners(49) } } },
    finds: ['spec.ports=2~'],
  },
  'the same an hour ago': {
    keys: OVERRIDE,
    ports: [80, 443],
    facts: { freshness: STALE, loadBalancers: { 'lb-1': { listeners: listeners(49) } } },
    finds: ['spec.ports=2?~'],
  },
  'listeners that are all there': {
    keys: OVERRIDE,
    ports: [9_000, 9_001],
    facts: { loadBalancers: { 'lb-1': { listeners: listeners(50) } } },
    finds: [],
  },
  'a port for another of its own, where there is no room for more': {
    keys: OVERRIDE,
    ports: [8080],
    before: { keys: OVERRIDE, ports: [1000] },
    facts: { loadBalancers: { 'lb-1': { listeners: [...listeners(49), OWN] } } },
    finds: [],
  },
  'two ports for one of its own, where there is no room for more': {
    keys: OVERRIDE,
    ports: [8080, 8081],
    before: { keys: OVERRIDE, ports: [1000] },
    facts: { loadBalancers: { 'lb-1': { listeners: [...listeners(49), OWN] } } },
    finds: ['spec.ports=2~'],
  },
  'a port for another of its own, where the account has been given more room': {
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
  'as many as before, when there were no listeners for them': {
    ports: numbered(53),
    before: { ports: numbered(53), type: 'ClusterIP' },
    finds: ['spec.ports=53~'],
  },
  'as many as before, on the load balancer of somebody else': {
    ports: numbered(53),
    before: { ports: numbered(53), keys: { id: 'lb-1' } },
    finds: ['spec.ports=53~'],
  },
  'listeners that are not managed': {
    keys: { id: 'lb-1' },
    ports: numbered(60),
    facts: { loadBalancers: { 'lb-1': { listeners: listeners(50) } } },
    finds: [],
  },
});

on(protocolPort, {
  'listeners that are not managed, which another rule tells of': {
    keys: { id: 'lb-1', 'protocol-port': 'https:81' },
    finds: [],
  },
  'an entry that names no port, which has always been passed over': {
    keys: { 'protocol-port': 'tcp:81' },
    finds: ['protocol-port=tcp:81~'],
  },
});

on(targetPort, {
  'a name, which the controller resolves for pods': {
    keys: ENI,
    ports: [{ port: 80, targetPort: 'web' }],
    spec: { allocateLoadBalancerNodePorts: false },
    finds: [],
  },
  'a name without a letter': {
    ports: [{ port: 80, targetPort: '8080' }],
    finds: ['spec.ports[0].targetPort=8080'],
  },
  'ports that are null': { spec: { ports: null }, finds: [] },
  'zero, which is none': { ports: [{ port: 80, targetPort: 0 }], finds: [] },
  'node ports left out with pods as backends': {
    keys: ENI,
    ports: [{ port: 80, targetPort: 8080 }],
    spec: { allocateLoadBalancerNodePorts: false },
    finds: [],
  },
  'node ports left out by a cluster of which nothing is known': {
    ports: [{ port: 80, targetPort: 8080 }],
    spec: { allocateLoadBalancerNodePorts: false },
    facts: { cluster: null },
    finds: [],
  },
});

on(portProtocol, {
  'ports that are null': { spec: { ports: null }, finds: [] },
  'a port that says no protocol': { ports: [{ port: 80 }], finds: [] },
  'SCTP beside TCP': {
    ports: [80, { port: 3868, protocol: 'SCTP' }],
    finds: ['spec.ports[1].protocol=SCTP'],
  },
});
