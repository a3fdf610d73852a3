import { keyOf, NODES, SERVICES } from '../simulated-cluster.ts';
import { aNode } from '../node.ts';
import { annotation } from '../running-controller.ts';
import type { LaterChange, LeftBehind } from './existing-controller.ts';

/** Returns a change of annotations with its expected calls. A null removes an annotation. */
export const annotating = (
  annotated: Readonly<Record<string, string | null>>,
  ...calls: readonly string[]
): LaterChange => ({
  act: ({ kubernetes }, service) => {
    const annotations = Object.fromEntries(Object.entries(annotated).map(([key, value]) => [annotation(key), value]));
    kubernetes.patch(SERVICES, keyOf(service), { metadata: { annotations } });
  },
  calls,
});

const ALL_LABELS_MISSING = {};
const TAG = { ResourceType: 'instance' };

/** Services of the Alibaba Cloud Controller Manager with owned load balancers of every kind. A takeover must change nothing in the cloud. */
export const OWNED: Readonly<Record<string, LeftBehind>> = {
  'only a port': { later: annotating({ scheduler: 'wrr' }, 'SetLoadBalancerTCPListenerAttribute') },
  'a load balancer in the VPC': { annotations: { 'address-type': 'intranet' } },
  'a vSwitch annotation': {
    annotations: { 'address-type': 'intranet', 'vswitch-id': 'vsw-2' },
    world: { vSwitches: [{ id: 'vsw-2', vpcId: 'vpc-1', cidrBlock: '10.2.0.0/16', zoneId: 'cn-hangzhou-b' }] },
  },
  'an address annotation': {
    annotations: { 'address-type': 'intranet', 'vswitch-id': 'vsw-1', ip: '10.1.0.200' },
  },
  'the default network type': { annotations: { 'address-type': 'intranet', 'network-type': 'vpc' } },
  'IP version 6': {
    annotations: { 'ip-version': 'ipv6', 'instance-charge-type': 'PayBySpec' },
    created: { LoadBalancerSpec: 'slb.s1.small' },
  },
  'two zones': { annotations: { 'master-zoneid': 'cn-hangzhou-a', 'slave-zoneid': 'cn-hangzhou-b' } },
  'a name': { annotations: { name: 'shop-front' }, later: annotating({ name: 'shop' }, 'SetLoadBalancerName') },
  'a resource group': { annotations: { 'resource-group-id': 'rg-shop' } },
  'the resource group of the cluster': {
    created: { ResourceGroupId: 'rg-cluster' },
    settings: { resourceGroupId: 'rg-cluster' },
  },
  tags: {
    annotations: { 'additional-resource-tags': 'team=shop,env=prod,empty=' },
    later: annotating({ 'additional-resource-tags': 'team=shop,env=test' }, 'TagResources', 'UntagResources'),
  },
  'no protection': {
    annotations: { 'delete-protection': 'off', 'modification-protection': 'NonProtection' },
    later: annotating({ 'delete-protection': 'on' }, 'SetLoadBalancerDeleteProtection'),
  },
  'explicit default protections': {
    annotations: { 'delete-protection': 'on', 'modification-protection': 'ConsoleProtection' },
  },
  'preservation on deletion': { annotations: { 'preserve-lb-on-delete': 'true' } },
  'a specification': {
    annotations: { 'instance-charge-type': 'PayBySpec', spec: 'slb.s2.small' },
    later: annotating({ spec: 'slb.s2.medium' }, 'ModifyLoadBalancerInstanceSpec'),
  },
  'a charge by specification without a specification': { annotations: { 'instance-charge-type': 'PayBySpec' } },
  'an explicit charge by use': { annotations: { 'instance-charge-type': 'PayByCLCU' } },
  'a charge by bandwidth': {
    annotations: { 'instance-charge-type': 'PayBySpec', 'charge-type': 'paybybandwidth', bandwidth: '100' },
    later: annotating({ bandwidth: '200' }, 'ModifyLoadBalancerInternetSpec'),
  },
  'a charge by traffic and a bandwidth without effect': {
    annotations: { 'instance-charge-type': 'PayBySpec', 'charge-type': 'paybytraffic', bandwidth: '100' },
  },
  'a host name in its status': {
    annotations: { hostname: 'shop.example.com' },
    ingress: [{ hostname: 'shop.example.com' }],
  },
  'an elastic IP address in its status': {
    annotations: { 'address-type': 'intranet', 'external-ip-type': 'eip' },
    since: async ({ simulator }, instanceId) => {
      simulator.seed({ eips: [{ address: '8.0.0.1', instanceId, instanceType: 'SlbInstance' }] });
    },
    ingress: [{ ip: '8.0.0.1', ipMode: 'VIP' }],
  },
  'deprecated keys': {
    annotations: {
      'service.beta.kubernetes.io/alicloud-loadbalancer-address-type': 'intranet',
      'service.beta.kubernetes.io/alicloud-loadbalancer-scheduler': 'wrr',
      'service.beta.kubernetes.io/alicloud-loadbalancer-protocol-port': 'http:80',
    },
    meant: { 'address-type': 'intranet', scheduler: 'wrr', 'protocol-port': 'http:80' },
  },
  'empty annotations': { annotations: { name: '', spec: '', 'cert-id': '', bandwidth: '' } },
  'foreign annotations': {
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"v1"}\n',
      'external-dns.alpha.kubernetes.io/hostname': 'shop.example.com',
    },
  },
  'a removed annotation with a remaining value': {
    since: async (cluster, LoadBalancerId) => {
      await cluster.ask('SetLoadBalancerTCPListenerAttribute', {
        LoadBalancerId,
        ListenerPort: 80,
        Scheduler: 'wrr',
        PersistenceTimeout: 600,
      });
    },
    later: annotating({ 'established-timeout': '300' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'a load balancer that a user renamed and tagged': {
    since: async (cluster, LoadBalancerId) => {
      const tag = { 'Tag.1.Key': 'hers', 'Tag.1.Value': 'yes' };
      await cluster.ask('TagResources', { ...TAG, 'ResourceId.1': LoadBalancerId, ...tag });
      await cluster.ask('SetLoadBalancerModificationProtection', {
        LoadBalancerId,
        ModificationProtectionStatus: 'NonProtection',
      });
      await cluster.ask('SetLoadBalancerName', { LoadBalancerId, LoadBalancerName: 'hers' });
    },
  },
  "a user's listener and group on its load balancer": {
    since: async (cluster, LoadBalancerId) => {
      const group = { LoadBalancerId, VServerGroupName: 'hers' };
      const { VServerGroupId } = await cluster.ask('CreateVServerGroup', group);
      const listener = { LoadBalancerId, ListenerPort: 8080, Bandwidth: -1, VServerGroupId: String(VServerGroupId) };
      await cluster.ask('CreateLoadBalancerTCPListener', listener);
    },
    later: annotating({ scheduler: 'wrr' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'a load balancer from before protections and charging by use': {
    created: {
      InstanceChargeType: 'PayBySpec',
      LoadBalancerSpec: 'slb.s1.small',
      DeleteProtection: 'off',
      ModificationProtectionStatus: 'NonProtection',
      ModificationProtectionReason: undefined,
      'Tag.2.Key': undefined,
      'Tag.2.Value': undefined,
    },
  },
  'no labels, as in early releases': { labels: ALL_LABELS_MISSING },
  'a label of another hash, after an update of the other controller': {
    labels: { 'service.beta.kubernetes.io/hash': '0'.repeat(56), app: 'web' },
  },
  'a misspelled annotation, without effect until now': {
    annotations: { schedular: 'wrr' },
  },
  'an invalid value of an annotation without effect': {
    annotations: { 'protocol-port': 'http:80', 'established-timeout': 'long' },
  },
  'a value that the cloud rejects, with the previous value in effect': {
    annotations: { scheduler: 'fastest' },
    meant: { scheduler: 'rr' },
    standing: 'Invalid',
    later: {
      act: ({ kubernetes }) => void kubernetes.put(NODES, aNode('n3', { ready: 'False' })),
      calls: ['RemoveVServerGroupBackendServers'],
    },
  },
  'source ranges of all addresses': {
    spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] },
  },
  'a requested address without effect': { spec: { loadBalancerIP: '192.0.2.1' } },
  'the type of a network load balancer, which the gate disables': { annotations: { type: 'nlb' } },
  'preservation on deletion with the value false': { annotations: { 'preserve-lb-on-delete': 'false' } },
  'an explicit IP version 4': { annotations: { 'ip-version': 'ipv4' } },
  'an explicit charge by traffic': { annotations: { 'charge-type': 'paybytraffic' } },
  'a bandwidth without a charge by bandwidth': { annotations: { bandwidth: '100' } },
  'a specification from the time of the old default': {
    annotations: { spec: 'slb.s2.small' },
    created: { InstanceChargeType: 'PayBySpec', LoadBalancerSpec: 'slb.s2.small' },
    later: annotating({ spec: 'slb.s2.medium' }, 'ModifyLoadBalancerInstanceSpec'),
  },
  'a specification without effect': {
    annotations: { spec: 'slb.s2.small' },
    created: { LoadBalancerSpec: undefined },
  },
  'a public address that the cluster no longer allows': { settings: { disablePublicSLB: true } },
};
