import type { ServicePort } from '../../../src/base/objects.ts';
import { annotationCombination } from '../../../src/rules/annotation-combination.ts';
import { describeRule, type RuleRow } from '../../support/rule-rows.ts';

const UDP: ServicePort = { port: 53, protocol: 'UDP', nodePort: 30_053 };
const HTTP = { 'protocol-port': 'http:80' };
const HTTPS = { 'protocol-port': 'https:443,http:80', 'cert-id': '1-cn' };
const TWO_PORTS = { ports: [80, 443] };
const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const INTRANET = { 'address-type': 'intranet' };
const COMBINATIONS: Record<string, RuleRow> = {
  'access control without a list and without its kind': {
    keys: { 'acl-status': 'on' },
    finds: ['acl-id=', 'acl-type='],
  },
  'access control with a list that cannot be read, which is told of by itself': {
    keys: { 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'list' },
    finds: [],
  },
  'access control on listeners that are not managed': { keys: { id: 'lb-1', 'acl-status': 'on' }, finds: [] },
  'access control on listeners that are taken over': {
    keys: { ...OVERRIDE, 'acl-status': 'on', 'acl-id': 'acl-1' },
    finds: ['acl-type='],
  },
  'access control switched off': { keys: { 'acl-status': 'off' }, finds: [] },
  'draining without a time-out': { keys: { 'connection-drain': 'on' }, finds: ['connection-drain-timeout='] },
  'draining with a time-out of nought, which is passed over': {
    keys: { 'connection-drain': 'on', 'connection-drain-timeout': '0' },
    finds: ['connection-drain-timeout=0'],
  },
  'draining where no listener drains': { keys: { ...HTTP, 'connection-drain': 'on' }, finds: [] },
  'a session of no kind': { keys: { ...HTTP, 'sticky-session': 'on' }, finds: ['sticky-session-type='] },
  'a session without its time': {
    keys: { ...HTTP, 'sticky-session': 'on', 'sticky-session-type': 'insert' },
    finds: ['cookie-timeout='],
  },
  'a session without its cookie': {
    keys: { ...HTTP, 'sticky-session': 'on', 'sticky-session-type': 'server', 'cookie-timeout': '10' },
    finds: ['cookie='],
  },
  'a session of no kind on a listener that redirects, which is sent all the same': {
    keys: { ...HTTP, 'forward-port': '80:443', 'sticky-session': 'on' },
    finds: ['sticky-session-type='],
  },
  'a session where there is none': { keys: { 'sticky-session': 'on' }, finds: [] },
  'a session switched off, and its kind left': {
    keys: { ...HTTP, 'sticky-session': 'off', 'sticky-session-type': 'server' },
    finds: [],
  },
  'an address on the internet': { keys: { ip: '10.0.0.1', 'vswitch-id': 'vsw-1' }, finds: ['address-type='] },
  'an address on the internet, said': {
    keys: { ip: '10.0.0.1', 'vswitch-id': 'vsw-1', 'address-type': 'internet' },
    finds: ['address-type=internet'],
  },
  'an address without its vSwitch, which the controller chooses': {
    keys: { ...INTRANET, ip: '10.0.0.1' },
    finds: ['vswitch-id=?'],
  },
  'an address of a reused load balancer': { keys: { id: 'lb-1', ip: '10.0.0.1' }, finds: [] },
  'an address of a load balancer that is there, which was asked for in other words': {
    keys: { ip: '10.0.0.1' },
    isThere: true,
    finds: [],
  },
  'an address type that cannot be read': {
    keys: { ip: '10.0.0.1', 'address-type': 'x', 'vswitch-id': 'vsw-1' },
    finds: [],
  },
  'IPv6 in a private network': { keys: { ...INTRANET, 'ip-version': 'ipv6' }, finds: ['ip-version=ipv6'] },
  'IPv4 in a private network': { keys: { ...INTRANET, 'ip-version': 'ipv4' }, finds: [] },
  'IPv6 on the internet': { keys: { 'ip-version': 'ipv6' }, finds: [] },
  'bandwidth paid for, and the load balancer by use': {
    keys: { 'charge-type': 'paybybandwidth', 'instance-charge-type': 'PayByCLCU' },
    finds: ['instance-charge-type=PayByCLCU'],
  },
  'bandwidth paid for on a new load balancer, which the controller makes PayBySpec': {
    keys: { 'charge-type': 'paybybandwidth', bandwidth: '10', spec: 'slb.s2.small' },
    finds: [],
  },
  'bandwidth paid for on a load balancer that is there': {
    keys: { 'charge-type': 'paybybandwidth' },
    isThere: true,
    finds: [],
  },
  'zones of another region': {
    keys: { 'master-zoneid': 'cn-beijing-a', 'slave-zoneid': 'cn-hangzhou-b' },
    finds: ['master-zoneid=cn-beijing-a?'],
  },
  'zones of a region that is not known': {
    keys: { 'master-zoneid': 'cn-beijing-a', 'slave-zoneid': 'cn-beijing-b' },
    facts: { cluster: null },
    finds: [],
  },
  'one zone twice': {
    keys: { 'master-zoneid': 'cn-hangzhou-b', 'slave-zoneid': 'cn-hangzhou-b' },
    finds: ['slave-zoneid=cn-hangzhou-b?'],
  },
  'one zone of two': { keys: { 'slave-zoneid': 'cn-hangzhou-b' }, finds: ['master-zoneid=?'] },
  'one zone of two, once it is settled': { keys: { 'slave-zoneid': 'cn-hangzhou-b' }, isThere: true, finds: [] },
  'a hash of addresses on an https listener': {
    keys: { ...HTTPS, scheduler: 'sch' },
    said: TWO_PORTS,
    finds: ['scheduler=sch'],
  },
  'a hash of QUIC on TCP': { keys: { scheduler: 'qch' }, finds: ['scheduler=qch'] },
  'a hash of QUIC on UDP': { keys: { scheduler: 'qch' }, said: { ports: [UDP] }, finds: [] },
  'a hash where listeners are not managed': { keys: { ...HTTP, id: 'lb-1', scheduler: 'sch' }, finds: [] },
  'a hash while the protocols cannot be read': { keys: { 'protocol-port': 'x', scheduler: 'sch' }, finds: [] },
  'the classic network, left of old load balancers': {
    keys: { ...INTRANET, 'network-type': 'classic' },
    finds: ['network-type=classic?'],
  },
  'the classic network of a load balancer that is there': {
    keys: { ...INTRANET, 'network-type': 'classic' },
    isThere: true,
    finds: [],
  },
  'the classic network of a reused load balancer': { keys: { id: 'lb-1', 'network-type': 'classic' }, finds: [] },
  'the classic network on the internet, where it says nothing': { keys: { 'network-type': 'classic' }, finds: [] },
  'the network of the VPC': { keys: { ...INTRANET, 'network-type': 'vpc' }, finds: [] },
  'least connections, left of old load balancers': { keys: { scheduler: 'wlc' }, finds: ['scheduler=wlc?'] },
  'least connections on a load balancer that is there': { keys: { scheduler: 'wlc' }, isThere: true, finds: [] },
  'turns where nodes weigh': {
    keys: { scheduler: 'rr' },
    spec: { externalTrafficPolicy: 'Local' },
    finds: ['scheduler=rr?'],
  },
  'rr when the traffic policy changes to Local': {
    keys: { scheduler: 'rr' },
    spec: { externalTrafficPolicy: 'Local' },
    before: { keys: { scheduler: 'rr' } },
    finds: ['scheduler=rr?'],
  },
  'turns where pods are the backends': {
    keys: { scheduler: 'rr' },
    spec: { externalTrafficPolicy: 'Local' },
    facts: { cluster: { backendType: 'eni' } },
    finds: [],
  },
};

describeRule(annotationCombination, COMBINATIONS);
