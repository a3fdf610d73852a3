import assert from 'node:assert/strict';
import type { Service, ServicePort } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { withProtected } from '../../../src/inventory/facts-with-protected-ids.ts';
import { evaluateRules } from '../../../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { SERVICE_RULES } from '../../../src/rules/index.ts';
import { aFacts, type FactsInput } from '../../support/facts.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const keys = (input: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(input).map(([suffix, value]) => [KEY + suffix, value]));

interface Row {
  readonly input?: ServiceInput;
  readonly spec?: object;
  readonly before?: ServiceInput;
  /** The published addresses, equal before and after the update. */
  readonly ingress?: readonly object[];
  readonly facts?: FactsInput;
  readonly protectedIds?: readonly string[];
  /** Findings `rule field=found`. A question mark marks a warning. */
  readonly finds: readonly string[];
}

const port = (input: Partial<ServicePort> & { readonly port: number }): ServicePort => ({
  protocol: 'TCP',
  nodePort: 30_080,
  ...input,
});
const ADDRESS = [{ ip: '47.96.0.1' }];
const STALE = { kind: 'stale', ageMs: 3_600_000 } as const;
/** A user's listener on another port. */
const SERVED = { listeners: [{ port: 8443, protocol: 'tcp' }] } as const;
const REUSE = { annotations: keys({ id: 'lb-1' }) };
const OVERRIDE = keys({ id: 'lb-1', 'force-override-listeners': 'true' });
const annotation = (suffix: string): string => `metadata.annotations[${KEY}${suffix}]`;

const ROWS: Record<string, Row> = {
  'report an invalid value of a deprecated key at that key': {
    input: { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-bandwidth': 'x' } },
    finds: ['annotation-value metadata.annotations[service.beta.kubernetes.io/alicloud-loadbalancer-bandwidth]=x'],
  },
  'warn about a listener attribute out of range with unmanaged listeners': {
    input: { annotations: keys({ id: 'lb-1', 'established-timeout': '1' }) },
    facts: { loadBalancers: { 'lb-1': SERVED } },
    finds: [`annotation-value ${annotation('established-timeout')}=1?`],
  },
  'warn about zero in annotations in which zero has no effect': {
    input: { annotations: keys({ 'established-timeout': '0', bandwidth: '-00' }) },
    finds: [
      `annotation-value ${annotation('bandwidth')}=-00?`,
      `annotation-value ${annotation('established-timeout')}=0?`,
    ],
  },
  'apply an http attribute if a port is http': {
    input: { annotations: keys({ 'protocol-port': 'http:80', 'idle-timeout': '900' }) },
    finds: [`annotation-value ${annotation('idle-timeout')}=900`],
  },
  'apply an http attribute if protocol-port is unreadable': {
    input: { annotations: keys({ 'protocol-port': 'http80', 'idle-timeout': '900' }) },
    finds: [
      `annotation-value ${annotation('idle-timeout')}=900`,
      `annotation-value ${annotation('protocol-port')}=http80`,
    ],
  },
  'report an entry of protocol-port for a port that the Service lacks, next to a valid entry': {
    input: { annotations: keys({ 'protocol-port': 'tcp:80,http:81' }) },
    finds: [`protocol-port ${annotation('protocol-port')}=http:81`],
  },
  'report two entries of protocol-port for the same port': {
    input: { annotations: keys({ 'protocol-port': 'tcp:80,http:80' }) },
    finds: [`protocol-port ${annotation('protocol-port')}=http:80`],
  },
  'warn about an entry of protocol-port for only one of two ports with the same number': {
    input: {
      annotations: keys({ 'protocol-port': 'https:443', 'cert-id': '1-cn' }),
      ports: [port({ port: 443 }), port({ port: 443, protocol: 'UDP', nodePort: 30_081 })],
    },
    finds: [`protocol-port ${annotation('protocol-port')}=https:443?`],
  },
  'accept an entry of protocol-port for each of two ports with the same number': {
    input: {
      annotations: keys({ 'protocol-port': 'https:443,udp:443', 'cert-id': '1-cn' }),
      ports: [port({ port: 443 }), port({ port: 443, protocol: 'UDP', nodePort: 30_081 })],
    },
    finds: [],
  },
  'report a foreign UDP listener for the UDP port, not for the https port of this number': {
    input: {
      annotations: { ...OVERRIDE, ...keys({ 'protocol-port': 'https:443', 'cert-id': '1-cn' }) },
      ports: [port({ port: 443 }), port({ port: 443, protocol: 'UDP', nodePort: 30_081 })],
    },
    facts: { loadBalancers: { 'lb-1': { listeners: [{ port: 443, protocol: 'udp' }] } } },
    finds: [`protocol-port ${annotation('protocol-port')}=https:443?`, 'reuse-listener spec.ports[1].port=443/udp'],
  },
  'accept a repeated equal entry of protocol-port': {
    input: { annotations: keys({ 'protocol-port': 'tcp:80,tcp:80' }) },
    finds: [],
  },
  'report a protocol that the port of the Service lacks': {
    input: { annotations: keys({ 'protocol-port': 'udp:80' }) },
    finds: [`protocol-port ${annotation('protocol-port')}=udp:80`],
  },
  'report https without a certificate': {
    input: { annotations: keys({ 'protocol-port': 'https:80' }) },
    finds: [`protocol-port ${annotation('cert-id')}=`],
  },
  'accept a named target port if the backends are pods': {
    input: { ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: { backendType: 'eni' } },
    finds: [],
  },
  'accept a named target port if the Service requests nodes': {
    input: { annotations: { [BACKEND_TYPE]: 'ecs' }, ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: { backendType: 'eni' } },
    finds: [],
  },
  'report an unreadable backend type, but accept a named target port then': {
    input: { annotations: { [BACKEND_TYPE]: 'pods' }, ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: { backendType: 'eni' } },
    finds: [`annotation-value metadata.annotations[${BACKEND_TYPE}]=pods`],
  },
  'report a quoted number as a port name': {
    input: { ports: [port({ port: 80, targetPort: '8080' })] },
    finds: ['target-port spec.ports[0].targetPort=8080'],
  },
  'report a port name that is too long': {
    input: { ports: [port({ port: 80, targetPort: 'a-name-too-long-x' })] },
    finds: ['target-port spec.ports[0].targetPort=a-name-too-long-x'],
  },
  'report a target port out of range': {
    input: { ports: [port({ port: 80, targetPort: 65_536 })] },
    finds: ['target-port spec.ports[0].targetPort=65536'],
  },
  'report nodes as backends without node ports': {
    input: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] },
    spec: { allocateLoadBalancerNodePorts: false },
    finds: ['target-port spec.allocateLoadBalancerNodePorts=false'],
  },
  'accept nodes as backends with explicit node ports': {
    input: { ports: [port({ port: 80, targetPort: 80 })] },
    spec: { allocateLoadBalancerNodePorts: false },
    finds: [],
  },
  'deny the load balancer of an API server with an inventory of any age': {
    input: REUSE,
    facts: { freshness: STALE, loadBalancers: { 'lb-1': { owner: 'api-server' } } },
    finds: [`protected-load-balancer ${annotation('id')}=lb-1`],
  },
  'deny a load balancer that a flag protects, even before the inventory exists': {
    input: REUSE,
    facts: { freshness: { kind: 'absent' } },
    protectedIds: ['lb-1'],
    finds: [`protected-load-balancer ${annotation('id')}=lb-1`],
  },
  'report a load balancer that cannot be reused, and nothing else about it': {
    input: { annotations: { ...OVERRIDE, ...keys({ 'resource-group-id': 'rg-a', 'address-type': 'intranet' }) } },
    facts: {
      loadBalancers: { 'lb-1': { owner: 'other-cluster', vpcId: 'vpc-9', listeners: [{ port: 80, protocol: 'tcp' }] } },
    },
    finds: [`foreign-load-balancer ${annotation('id')}=lb-1`],
  },
  "report the id of the Service's own load balancer": {
    input: REUSE,
    facts: { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } },
    finds: [`foreign-load-balancer ${annotation('id')}=lb-1`],
  },
  'warn about another resource group if the inventory is stale': {
    input: { annotations: keys({ id: 'lb-1', 'resource-group-id': 'rg-a' }) },
    facts: { freshness: STALE, loadBalancers: { 'lb-1': { ...SERVED, resourceGroupId: 'rg-b' } } },
    finds: [`reuse-resource-group ${annotation('resource-group-id')}=rg-a?`],
  },
  'report a foreign listener on a load balancer with overridden listeners': {
    input: { annotations: OVERRIDE },
    facts: { loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'http' }] } } },
    finds: ['reuse-listener spec.ports[0].port=80/tcp'],
  },
  'accept a UDP listener with the number of a TCP port': {
    input: { annotations: OVERRIDE },
    facts: { loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'udp' }] } } },
    finds: [],
  },
  'report a port in use by another Service': {
    input: { annotations: OVERRIDE },
    facts: { loadBalancers: { 'lb-1': SERVED }, holders: { 'lb-1': [['bank/ledger', 80, 'http']] } },
    finds: ['reuse-listener spec.ports[0].port=80/tcp'],
  },
  'only warn about a port that the Service and another Service already request': {
    input: { annotations: OVERRIDE },
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
  'deny another zone, if a load balancer exists': {
    input: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-b' }) },
    before: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-a' }) },
    ingress: ADDRESS,
    finds: [`immutable-annotation ${annotation('master-zoneid')}=cn-hangzhou-b`],
  },
  'accept another zone while no load balancer exists, but warn about a missing second zone': {
    input: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-b' }) },
    before: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-a' }) },
    finds: [`annotation-combination ${annotation('slave-zoneid')}=?`],
  },
  'warn about an added zone, which the cloud selected before': {
    input: { annotations: keys({ 'master-zoneid': 'cn-hangzhou-b' }) },
    before: {},
    ingress: ADDRESS,
    finds: [`immutable-annotation ${annotation('master-zoneid')}=cn-hangzhou-b?`],
  },
  'deny ipv4 instead of ipv6': {
    input: { annotations: keys({ 'ip-version': 'ipv4' }) },
    before: { annotations: keys({ 'ip-version': 'ipv6' }) },
    ingress: ADDRESS,
    finds: [`immutable-annotation ${annotation('ip-version')}=ipv4`],
  },
  'accept a change to the value in the inventory': {
    input: { annotations: keys({ 'resource-group-id': 'rg-b' }) },
    before: { annotations: keys({ 'resource-group-id': 'rg-a' }) },
    ingress: ADDRESS,
    facts: { loadBalancers: { 'lb-9': { owner: 'this-cluster', service: 'shop/web', resourceGroupId: 'rg-b' } } },
    finds: [],
  },
  'warn about a changed vSwitch, which is only read at creation': {
    input: { annotations: keys({ 'vswitch-id': 'vsw-b' }) },
    before: { annotations: keys({ 'vswitch-id': 'vsw-a' }) },
    ingress: ADDRESS,
    finds: [`immutable-annotation ${annotation('vswitch-id')}=vsw-b?`],
  },
};

function serviceOf(input: ServiceInput, { spec, ingress }: Row): Service {
  const service = aService(input);
  const status = ingress === undefined ? {} : { status: { loadBalancer: { ingress } } };
  return { ...service, spec: { ...service.spec, ...spec }, ...status };
}

/** Evaluates all rules. Each row is a Service, and lists all findings. */
describe('the rules', () => {
  for (const [title, row] of Object.entries(ROWS)) {
    it(title, () => {
      const before = row.before === undefined ? undefined : serviceOf(row.before, row);
      const facts = withProtected(aFacts(row.facts), new Set(row.protectedIds));
      const subject = serviceSubject(serviceOf(row.input ?? {}, row), before);
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
