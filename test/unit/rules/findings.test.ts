import assert from 'node:assert/strict';
import type { Service, ServicePort } from '../../../src/base/objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy.ts';
import { withProtected } from '../../../src/inventory/protected-facts.ts';
import { evaluateRules } from '../../../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { SERVICE_RULES } from '../../../src/rules/index.ts';
import { aFacts, type FactsSaid } from '../../support/facts.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const keys = (said: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(said).map(([suffix, value]) => [KEY + suffix, value]));

interface Row {
  readonly said?: ServiceSaid;
  readonly spec?: object;
  readonly before?: ServiceSaid;
  /** Published addresses, before and after. */
  readonly ingress?: readonly object[];
  readonly facts?: FactsSaid;
  readonly protectedIds?: readonly string[];
  /** Findings `rule field=found`. A question mark marks a warning. */
  readonly finds: readonly string[];
}

const port = (said: Partial<ServicePort> & { readonly port: number }): ServicePort => ({
  protocol: 'TCP',
  nodePort: 30_080,
  ...said,
});
const ADDRESS = [{ ip: '47.96.0.1' }];
const STALE = { kind: 'stale', ageMs: 3_600_000 } as const;
/** A user's listener on another port. */
const SERVED = { listeners: [{ port: 8443, protocol: 'tcp' }] } as const;
const REUSE = { annotations: keys({ id: 'lb-1' }) };
const OVERRIDE = keys({ id: 'lb-1', 'force-override-listeners': 'true' });
const annotation = (suffix: string): string => `metadata.annotations[${KEY}${suffix}]`;

const ROWS: Record<string, Row> = {
  'a value that is wrong under a deprecated key is told of under that key': {
    said: { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-bandwidth': 'x' } },
    finds: ['annotation-value metadata.annotations[service.beta.kubernetes.io/alicloud-loadbalancer-bandwidth]=x'],
  },
  'a listener attribute out of range does nothing where listeners are not managed': {
    said: { annotations: keys({ id: 'lb-1', 'established-timeout': '1' }) },
    facts: { loadBalancers: { 'lb-1': SERVED } },
    finds: [`annotation-value ${annotation('established-timeout')}=1?`],
  },
  'nought where it says nothing has always been passed over': {
    said: { annotations: keys({ 'established-timeout': '0', bandwidth: '-00' }) },
    finds: [
      `annotation-value ${annotation('bandwidth')}=-00?`,
      `annotation-value ${annotation('established-timeout')}=0?`,
    ],
  },
  'an attribute of http listeners counts once a port is http': {
    said: { annotations: keys({ 'protocol-port': 'http:80', 'idle-timeout': '900' }) },
    finds: [`annotation-value ${annotation('idle-timeout')}=900`],
  },
  'an attribute of http listeners counts while protocol-port cannot be read': {
    said: { annotations: keys({ 'protocol-port': 'http80', 'idle-timeout': '900' }) },
    finds: [
      `annotation-value ${annotation('idle-timeout')}=900`,
      `annotation-value ${annotation('protocol-port')}=http80`,
    ],
  },
  'an entry of protocol-port that names no port, beside one that does': {
    said: { annotations: keys({ 'protocol-port': 'tcp:80,http:81' }) },
    finds: [`protocol-port ${annotation('protocol-port')}=http:81`],
  },
  'two entries of protocol-port for one port': {
    said: { annotations: keys({ 'protocol-port': 'tcp:80,http:80' }) },
    finds: [`protocol-port ${annotation('protocol-port')}=http:80`],
  },
  'an entry of protocol-port for one of two ports of one number': {
    said: {
      annotations: keys({ 'protocol-port': 'https:443', 'cert-id': '1-cn' }),
      ports: [port({ port: 443 }), port({ port: 443, protocol: 'UDP', nodePort: 30_081 })],
    },
    finds: [`protocol-port ${annotation('protocol-port')}=https:443?`],
  },
  'an entry of protocol-port for each of two ports of one number': {
    said: {
      annotations: keys({ 'protocol-port': 'https:443,udp:443', 'cert-id': '1-cn' }),
      ports: [port({ port: 443 }), port({ port: 443, protocol: 'UDP', nodePort: 30_081 })],
    },
    finds: [],
  },
  'a UDP port beside an https listener of the same number clashes with UDP alone': {
    said: {
      annotations: { ...OVERRIDE, ...keys({ 'protocol-port': 'https:443', 'cert-id': '1-cn' }) },
      ports: [port({ port: 443 }), port({ port: 443, protocol: 'UDP', nodePort: 30_081 })],
    },
    facts: { loadBalancers: { 'lb-1': { listeners: [{ port: 443, protocol: 'udp' }] } } },
    finds: [`protocol-port ${annotation('protocol-port')}=https:443?`, 'reuse-listener spec.ports[1].port=443/udp'],
  },
  'the same entry of protocol-port twice is harmless': {
    said: { annotations: keys({ 'protocol-port': 'tcp:80,tcp:80' }) },
    finds: [],
  },
  'a protocol that the port of the Service does not have': {
    said: { annotations: keys({ 'protocol-port': 'udp:80' }) },
    finds: [`protocol-port ${annotation('protocol-port')}=udp:80`],
  },
  'https without a certificate': {
    said: { annotations: keys({ 'protocol-port': 'https:80' }) },
    finds: [`protocol-port ${annotation('cert-id')}=`],
  },
  'a named target port is fine if the backends are pods': {
    said: { ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: { backendType: 'eni' } },
    finds: [],
  },
  'a named target port is fine if the Service asks for nodes': {
    said: { annotations: { [BACKEND_TYPE]: 'ecs' }, ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: { backendType: 'eni' } },
    finds: [],
  },
  'a backend type that cannot be read is not guessed at': {
    said: { annotations: { [BACKEND_TYPE]: 'pods' }, ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: { backendType: 'eni' } },
    finds: [`annotation-value metadata.annotations[${BACKEND_TYPE}]=pods`],
  },
  'a number in quotes is no name of a port': {
    said: { ports: [port({ port: 80, targetPort: '8080' })] },
    finds: ['target-port spec.ports[0].targetPort=8080'],
  },
  'a name that is too long for a port': {
    said: { ports: [port({ port: 80, targetPort: 'a-name-too-long-x' })] },
    finds: ['target-port spec.ports[0].targetPort=a-name-too-long-x'],
  },
  'a target port out of range': {
    said: { ports: [port({ port: 80, targetPort: 65_536 })] },
    finds: ['target-port spec.ports[0].targetPort=65536'],
  },
  'nodes as backends without node ports': {
    said: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] },
    spec: { allocateLoadBalancerNodePorts: false },
    finds: ['target-port spec.allocateLoadBalancerNodePorts=false'],
  },
  'nodes as backends with node ports given by hand': {
    said: { ports: [port({ port: 80, targetPort: 80 })] },
    spec: { allocateLoadBalancerNodePorts: false },
    finds: [],
  },
  'the load balancer of an API server is denied however old the inventory is': {
    said: REUSE,
    facts: { freshness: STALE, loadBalancers: { 'lb-1': { owner: 'api-server' } } },
    finds: [`protected-load-balancer ${annotation('id')}=lb-1`],
  },
  'a load balancer that a flag protects is denied before there is an inventory': {
    said: REUSE,
    facts: { freshness: { kind: 'absent' } },
    protectedIds: ['lb-1'],
    finds: [`protected-load-balancer ${annotation('id')}=lb-1`],
  },
  'of a load balancer that may not be reused nothing more is told': {
    said: { annotations: { ...OVERRIDE, ...keys({ 'resource-group-id': 'rg-a', 'address-type': 'intranet' }) } },
    facts: {
      loadBalancers: { 'lb-1': { owner: 'other-cluster', vpcId: 'vpc-9', listeners: [{ port: 80, protocol: 'tcp' }] } },
    },
    finds: [`foreign-load-balancer ${annotation('id')}=lb-1`],
  },
  'its own load balancer is nothing to reuse': {
    said: REUSE,
    facts: { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } },
    finds: [`foreign-load-balancer ${annotation('id')}=lb-1`],
  },
  'another resource group is a warning when the inventory is old': {
    said: { annotations: keys({ id: 'lb-1', 'resource-group-id': 'rg-a' }) },
    facts: { freshness: STALE, loadBalancers: { 'lb-1': { ...SERVED, resourceGroupId: 'rg-b' } } },
    finds: [`reuse-resource-group ${annotation('resource-group-id')}=rg-a?`],
  },
  'a listener of somebody else on a load balancer whose listeners are taken over': {
    said: { annotations: OVERRIDE },
    facts: { loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'http' }] } } },
    finds: ['reuse-listener spec.ports[0].port=80/tcp'],
  },
  'a UDP listener on the number of a TCP port': {
    said: { annotations: OVERRIDE },
    facts: { loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'udp' }] } } },
    finds: [],
  },
  'a port that another Service holds': {
    said: { annotations: OVERRIDE },
    facts: { loadBalancers: { 'lb-1': SERVED }, holders: { 'lb-1': [['bank/ledger', 80, 'http']] } },
    finds: ['reuse-listener spec.ports[0].port=80/tcp'],
  },
  'a port that two stored Services hold is left to the controller to decide': {
    said: { annotations: OVERRIDE },
    facts: {
      loadBalancers: { 'lb-1': SERVED },
      holders: {
        'lb-1': [
          ['bank/ledger', 80, 'tcp'],
          ['shop/web', 80, 'tcp'],
        ],
      },
    },
    finds: ['reuse-listener spec.ports[0].port=80/tcp?'],
  },
  'another zone, once there is a load balancer': {
    said: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-b' }) },
    before: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-a' }) },
    ingress: ADDRESS,
    finds: [`immutable-annotation ${annotation('master-zoneid')}=cn-hangzhou-b`],
  },
  'another zone, while there is none': {
    said: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-b' }) },
    before: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-a' }) },
    finds: [`annotation-combination ${annotation('slave-zoneid')}=?`],
  },
  'a zone that was left to the cloud before': {
    said: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-b' }) },
    before: {},
    ingress: ADDRESS,
    finds: [`immutable-annotation ${annotation('master-zoneid')}=cn-hangzhou-b?`],
  },
  'ipv4 in place of ipv6': {
    said: { annotations: keys({ 'ip-version': 'ipv4' }) },
    before: { annotations: keys({ 'ip-version': 'ipv6' }) },
    ingress: ADDRESS,
    finds: [`immutable-annotation ${annotation('ip-version')}=ipv4`],
  },
  'a change to what the inventory says that the load balancer has': {
    said: { annotations: keys({ 'resource-group-id': 'rg-b' }) },
    before: { annotations: keys({ 'resource-group-id': 'rg-a' }) },
    ingress: ADDRESS,
    facts: { loadBalancers: { 'lb-9': { owner: 'this-cluster', service: 'shop/web', resourceGroupId: 'rg-b' } } },
    finds: [],
  },
  'a vSwitch, which nobody looks at again': {
    said: { annotations: keys({ 'vswitch-id': 'vsw-b' }) },
    before: { annotations: keys({ 'vswitch-id': 'vsw-a' }) },
    ingress: ADDRESS,
    finds: [`immutable-annotation ${annotation('vswitch-id')}=vsw-b?`],
  },
};

function serviceOf(said: ServiceSaid, { spec, ingress }: Row): Service {
  const service = aService(said);
  const status = ingress === undefined ? {} : { status: { loadBalancer: { ingress } } };
  return { ...service, spec: { ...service.spec, ...spec }, ...status };
}

describe('the rules', () => {
  for (const [sentence, row] of Object.entries(ROWS)) {
    it(sentence, () => {
      const before = row.before === undefined ? undefined : serviceOf(row.before, row);
      const facts = withProtected(aFacts(row.facts), new Set(row.protectedIds));
      const subject = serviceSubject(serviceOf(row.said ?? {}, row), before);
      const { findings, unevaluated } = evaluateRules(SERVICE_RULES, subject, { facts, policy: ENFORCE_ALL });
      assert.deepEqual(unevaluated, []);
      assert.deepEqual(
        findings.map(
          ({ rule, violation }) =>
            `${rule.name} ${violation.field}=${violation.value}${violation.advice === true ? '?' : ''}`,
        ),
        row.finds,
      );
    });
  }
});
