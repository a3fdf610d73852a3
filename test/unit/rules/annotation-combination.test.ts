import type { ServicePort } from '../../../src/base/kubernetes-objects.ts';
import { annotationCombination } from '../../../src/rules/annotation-combination.ts';
import { describeRule, type RuleRow } from '../../support/rule-rows.ts';

const UDP: ServicePort = { port: 53, protocol: 'UDP', nodePort: 30_053 };
const HTTP = { 'protocol-port': 'http:80' };
const HTTPS = { 'protocol-port': 'https:443,http:80', 'cert-id': '1-cn' };
const TWO_PORTS = { ports: [80, 443] };
const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const INTRANET = { 'address-type': 'intranet' };
const COMBINATIONS: Record<string, RuleRow> = {
  'access control without a list and without a type': {
    keys: { 'acl-status': 'on' },
    finds: ['acl-id=', 'acl-type='],
  },
  'access control with an unreadable list, which another rule reports': {
    keys: { 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'list' },
    finds: [],
  },
  'access control on unmanaged listeners': { keys: { id: 'lb-1', 'acl-status': 'on' }, finds: [] },
  'access control on overridden listeners': {
    keys: { ...OVERRIDE, 'acl-status': 'on', 'acl-id': 'acl-1' },
    finds: ['acl-type='],
  },
  'access control that is off': { keys: { 'acl-status': 'off' }, finds: [] },
  'draining without a timeout': { keys: { 'connection-drain': 'on' }, finds: ['connection-drain-timeout='] },
  'draining with a timeout of zero, which is ignored': {
    keys: { 'connection-drain': 'on', 'connection-drain-timeout': '0' },
    finds: ['connection-drain-timeout=0'],
  },
  'draining without a suitable listener': { keys: { ...HTTP, 'connection-drain': 'on' }, finds: [] },
  'a sticky session without a type': { keys: { ...HTTP, 'sticky-session': 'on' }, finds: ['sticky-session-type='] },
  'a sticky session without its timeout': {
    keys: { ...HTTP, 'sticky-session': 'on', 'sticky-session-type': 'insert' },
    finds: ['cookie-timeout='],
  },
  'a sticky session without its cookie': {
    keys: { ...HTTP, 'sticky-session': 'on', 'sticky-session-type': 'server', 'cookie-timeout': '10' },
    finds: ['cookie='],
  },
  'a sticky session without a type on a listener that redirects, which needs a type too': {
    keys: { ...HTTP, 'forward-port': '80:443', 'sticky-session': 'on' },
    finds: ['sticky-session-type='],
  },
  'a sticky session without a suitable listener': { keys: { 'sticky-session': 'on' }, finds: [] },
  'a sticky session that is off, with a remaining type': {
    keys: { ...HTTP, 'sticky-session': 'off', 'sticky-session-type': 'server' },
    finds: [],
  },
  'an IP address without an address type': {
    keys: { ip: '10.0.0.1', 'vswitch-id': 'vsw-1' },
    finds: ['address-type='],
  },
  'an IP address with the address type internet': {
    keys: { ip: '10.0.0.1', 'vswitch-id': 'vsw-1', 'address-type': 'internet' },
    finds: ['address-type=internet'],
  },
  'an IP address without its vSwitch, which the controller selects': {
    keys: { ...INTRANET, ip: '10.0.0.1' },
    finds: ['vswitch-id=?'],
  },
  'an IP address of a reused load balancer': { keys: { id: 'lb-1', ip: '10.0.0.1' }, finds: [] },
  'an IP address on an existing load balancer, which only a creation uses': {
    keys: { ip: '10.0.0.1' },
    isThere: true,
    finds: [],
  },
  'an IP address with an unreadable address type': {
    keys: { ip: '10.0.0.1', 'address-type': 'x', 'vswitch-id': 'vsw-1' },
    finds: [],
  },
  'IPv6 in a private network': { keys: { ...INTRANET, 'ip-version': 'ipv6' }, finds: ['ip-version=ipv6'] },
  'IPv4 in a private network': { keys: { ...INTRANET, 'ip-version': 'ipv4' }, finds: [] },
  'IPv6 on the internet': { keys: { 'ip-version': 'ipv6' }, finds: [] },
  'paid bandwidth with a load balancer charged by use': {
    keys: { 'charge-type': 'paybybandwidth', 'instance-charge-type': 'PayByCLCU' },
    finds: ['instance-charge-type=PayByCLCU'],
  },
  'paid bandwidth on a new load balancer, which becomes PayBySpec': {
    keys: { 'charge-type': 'paybybandwidth', bandwidth: '10', spec: 'slb.s2.small' },
    finds: [],
  },
  'paid bandwidth on an existing load balancer': {
    keys: { 'charge-type': 'paybybandwidth' },
    isThere: true,
    finds: [],
  },
  'zones of another region': {
    keys: { 'master-zoneid': 'cn-beijing-a', 'slave-zoneid': 'cn-hangzhou-b' },
    finds: ['master-zoneid=cn-beijing-a?'],
  },
  'a zone of a region whose id starts with the id of the region of the cluster': {
    keys: { 'master-zoneid': 'cn-hangzhou-finance-1a', 'slave-zoneid': 'cn-hangzhou-b' },
    finds: ['master-zoneid=cn-hangzhou-finance-1a?'],
  },
  'zones whose letter follows the region without a hyphen': {
    keys: { 'master-zoneid': 'ap-southeast-1a', 'slave-zoneid': 'ap-southeast-1b' },
    facts: { cluster: { regionId: 'ap-southeast-1' } },
    finds: [],
  },
  'zones of an unknown region': {
    keys: { 'master-zoneid': 'cn-beijing-a', 'slave-zoneid': 'cn-beijing-b' },
    facts: { cluster: null },
    finds: [],
  },
  'the same zone twice': {
    keys: { 'master-zoneid': 'cn-hangzhou-b', 'slave-zoneid': 'cn-hangzhou-b' },
    finds: ['slave-zoneid=cn-hangzhou-b?'],
  },
  'only one of the two zones': { keys: { 'slave-zoneid': 'cn-hangzhou-b' }, finds: ['master-zoneid=?'] },
  'only one of the two zones, after the creation': {
    keys: { 'slave-zoneid': 'cn-hangzhou-b' },
    isThere: true,
    finds: [],
  },
  'a hash of addresses on an https listener': {
    keys: { ...HTTPS, scheduler: 'sch' },
    input: TWO_PORTS,
    finds: ['scheduler=sch'],
  },
  'a hash of QUIC connections on TCP': { keys: { scheduler: 'qch' }, finds: ['scheduler=qch'] },
  'a hash of QUIC connections on UDP': { keys: { scheduler: 'qch' }, input: { ports: [UDP] }, finds: [] },
  'a hash with unmanaged listeners': { keys: { ...HTTP, id: 'lb-1', scheduler: 'sch' }, finds: [] },
  'a hash with unreadable protocols': { keys: { 'protocol-port': 'x', scheduler: 'sch' }, finds: [] },
  'the classic network on a new load balancer': {
    keys: { ...INTRANET, 'network-type': 'classic' },
    finds: ['network-type=classic?'],
  },
  'the classic network of an existing load balancer': {
    keys: { ...INTRANET, 'network-type': 'classic' },
    isThere: true,
    finds: [],
  },
  'the classic network of a reused load balancer': { keys: { id: 'lb-1', 'network-type': 'classic' }, finds: [] },
  'the classic network on the internet, without effect': { keys: { 'network-type': 'classic' }, finds: [] },
  'the network of the VPC': { keys: { ...INTRANET, 'network-type': 'vpc' }, finds: [] },
  'least connections on a new load balancer': { keys: { scheduler: 'wlc' }, finds: ['scheduler=wlc?'] },
  'least connections on an existing load balancer': { keys: { scheduler: 'wlc' }, isThere: true, finds: [] },
  'rr with the traffic policy Local, which weights nodes': {
    keys: { scheduler: 'rr' },
    spec: { externalTrafficPolicy: 'Local' },
    finds: ['scheduler=rr?'],
  },
  'rr with a change of the traffic policy to Local': {
    keys: { scheduler: 'rr' },
    spec: { externalTrafficPolicy: 'Local' },
    was: { scheduler: 'rr' },
    before: { externalTrafficPolicy: 'Cluster' },
    finds: ['scheduler=rr?'],
  },
  'rr with pods as backends': {
    keys: { scheduler: 'rr' },
    spec: { externalTrafficPolicy: 'Local' },
    facts: { cluster: { backendType: 'eni' } },
    finds: [],
  },
};

/** The cloud rejects these combinations, so the Service would not get its listeners. In `finds`, `?` marks a warning. */
describeRule(annotationCombination, COMBINATIONS);
