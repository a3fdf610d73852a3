import assert from 'node:assert/strict';
import { annotationEffect } from '../../../src/rules/annotation-effect.ts';
import { violationsOf } from '../../support/found.ts';
import { describeRule, type RuleRow } from '../../support/rule-rows.ts';

const HTTP = { 'protocol-port': 'http:80' };
const HTTPS = { 'protocol-port': 'https:443,http:80', 'cert-id': '1-cn' };
const TWO_PORTS = { ports: [80, 443] };
const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const INTRANET = { 'address-type': 'intranet' };
const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const EFFECTS: Record<string, RuleRow> = {
  'a specification on a load balancer paid for by use': {
    keys: { spec: 'slb.s2.small', 'instance-charge-type': 'PayByCLCU' },
    finds: ['spec=slb.s2.small?'],
  },
  'a specification on a new load balancer of which no charge is said': {
    keys: { spec: 'slb.s2.small' },
    finds: ['spec=slb.s2.small?'],
  },
  'a specification on one that is there, and may be paid for by it': {
    keys: { spec: 'slb.s2.small' },
    isThere: true,
    finds: [],
  },
  'bandwidth of traffic that is paid for by volume': { keys: { bandwidth: '100' }, finds: ['bandwidth=100?'] },
  'how public traffic is paid for where there is none': {
    keys: { ...INTRANET, 'charge-type': 'paybybandwidth', 'instance-charge-type': 'PayByCLCU' },
    finds: ['charge-type=paybybandwidth?'],
  },
  'bandwidth of traffic that is not public': {
    keys: { ...INTRANET, 'charge-type': 'paybybandwidth', 'instance-charge-type': 'PayBySpec', bandwidth: '100' },
    finds: ['charge-type=paybybandwidth?', 'bandwidth=100?'],
  },
  'what counts without it as well': {
    keys: { ...INTRANET, 'charge-type': 'paybytraffic', 'ip-version': 'ipv4', 'http2-enabled': 'off' },
    finds: [],
  },
  'a vSwitch on the internet': { keys: { 'vswitch-id': 'vsw-1' }, finds: ['vswitch-id=vsw-1?'] },
  'a vSwitch for a reused load balancer': {
    keys: { ...INTRANET, id: 'lb-1', 'vswitch-id': 'vsw-1' },
    finds: ['vswitch-id=vsw-1?'],
  },
  'a wish to preserve what is not deleted anyhow': {
    keys: { id: 'lb-1', 'preserve-lb-on-delete': 'true' },
    finds: ['preserve-lb-on-delete=true?'],
  },
  'elastic addresses on the internet': { keys: { 'external-ip-type': 'eip' }, finds: ['external-ip-type=eip?'] },
  'elastic addresses of a reused load balancer': { keys: { id: 'lb-1', 'external-ip-type': 'eip' }, finds: [] },
  'elastic addresses beside a host name': {
    keys: { ...INTRANET, 'external-ip-type': 'eip', hostname: 'a.example.com' },
    finds: ['external-ip-type=eip?'],
  },
  'overriding where nothing is reused': {
    keys: { 'force-override-listeners': 'true' },
    finds: ['force-override-listeners=true?'],
  },
  'not overriding where nothing is reused': { keys: { 'force-override-listeners': 'false' }, finds: [] },
  'a server group on a load balancer of its own': {
    keys: { 'vgroup-port': 'rsp-1:80' },
    finds: ['vgroup-port=rsp-1:80?'],
  },
  'a redirect where nothing is http': { keys: { 'forward-port': '80:443' }, finds: ['forward-port=80:443?'] },
  'listeners that are not managed': {
    keys: { ...HTTP, id: 'lb-1', 'forward-port': '80:443', scheduler: 'wrr', 'acl-status': 'off' },
    finds: ['protocol-port=http:80?', 'forward-port=80:443?', 'scheduler=wrr?'],
  },
  'attributes of http where http only redirects, to a listener of another Service': {
    keys: { ...HTTP, ...OVERRIDE, 'forward-port': '80:443', 'idle-timeout': '15' },
    finds: ['idle-timeout=15?'],
  },
  'attributes of http where http redirects to https': {
    keys: { ...HTTPS, 'forward-port': '80:443', 'idle-timeout': '15' },
    said: TWO_PORTS,
    finds: [],
  },
  'a certificate without https': { keys: { 'cert-id': '1-cn' }, finds: ['cert-id=1-cn?'] },
  'a certificate while the protocols cannot be read': { keys: { 'protocol-port': 'x', 'cert-id': '1-cn' }, finds: [] },
  'a certificate for a port that the Service does not have, which is told of by itself': {
    keys: HTTPS,
    finds: [],
  },
  'attributes of TCP on http': {
    keys: { ...HTTP, 'persistence-timeout': '0', 'established-timeout': '100', 'proxy-protocol': 'on' },
    finds: ['persistence-timeout=0?', 'established-timeout=100?', 'proxy-protocol=on?'],
  },
  'attributes of http on TCP, but what counts without them as well': {
    keys: { 'idle-timeout': '15', 'request-timeout': '60', 'xforwardedfor-proto': 'on', 'http2-enabled': 'on' },
    finds: ['idle-timeout=15?', 'request-timeout=60?', 'xforwardedfor-proto=on?'],
  },
  'attributes of http on TCP and http': { keys: { ...HTTP, 'idle-timeout': '15' }, said: TWO_PORTS, finds: [] },
  'a list of who may connect that is not switched on': {
    keys: { 'acl-id': 'acl-1', 'acl-type': 'white' },
    finds: ['acl-id=acl-1?', 'acl-type=white?'],
  },
  'a list of who may connect that is switched off': { keys: { 'acl-status': 'off', 'acl-id': 'acl-1' }, finds: [] },
  'a path of probes by connection': { keys: { 'health-check-uri': '/a' }, finds: ['health-check-uri=/a?'] },
  'a path of probes by HTTP': { keys: { 'health-check-type': 'http', 'health-check-uri': '/a' }, finds: [] },
  'a path of probes that are not switched on': {
    keys: { ...HTTP, 'health-check-uri': '/a', 'healthy-threshold': '4' },
    finds: ['health-check-uri=/a?', 'healthy-threshold=4?'],
  },
  'a path of probes that are switched off': {
    keys: { ...HTTP, 'health-check-flag': 'off', 'health-check-uri': '/a' },
    finds: [],
  },
  'a path of probes on listeners that were there before': {
    keys: { ...HTTP, ...OVERRIDE, 'health-check-uri': '/a' },
    finds: [],
  },
  'a path of probes of which those by HTTP are switched on': {
    keys: { ...HTTP, 'health-check-flag': 'on', 'health-check-uri': '/a' },
    said: TWO_PORTS,
    finds: [],
  },
  'a threshold of probes of TCP, and none of http': {
    keys: { ...HTTP, 'healthy-threshold': '4' },
    said: TWO_PORTS,
    finds: [],
  },
  'the kind of probes beside http listeners, as vendor examples have it': {
    keys: { ...HTTP, 'health-check-type': 'http', 'health-check-flag': 'on' },
    finds: [],
  },
  'the kind of probes of listeners that are not managed': {
    keys: { id: 'lb-1', 'health-check-type': 'http' },
    finds: ['health-check-type=http?'],
  },
  'a time-out of probes below their interval': {
    keys: { 'health-check-interval': '10', 'health-check-connect-timeout': '5', 'health-check-timeout': '5' },
    finds: ['health-check-timeout=5?', 'health-check-connect-timeout=5?'],
  },
  'a time-out of probes as long as their interval': {
    keys: { 'health-check-interval': '5', 'health-check-connect-timeout': '5' },
    finds: [],
  },
  'IPv6 backends behind an IPv4 address': {
    keys: { 'backend-ip-version': 'IPv6' },
    finds: ['backend-ip-version=IPv6?'],
  },
  'labels of nodes where pods are the backends': {
    keys: { 'backend-label': 'a=b', 'remove-unscheduled-backend': 'off' },
    facts: { cluster: { backendType: 'eni' } },
    finds: ['backend-label=a=b?'],
  },
  'labels of nodes in a cluster of which nothing is known': {
    keys: { 'backend-label': 'a=b' },
    facts: { cluster: null, freshness: { kind: 'absent' } },
    finds: [],
  },
  'labels of nodes where pods are asked for': {
    keys: { 'backend-label': 'a=b' },
    said: { annotations: { [BACKEND_TYPE]: 'eni' } },
    finds: ['backend-label=a=b?'],
  },
  'the kind of network on the internet': { keys: { 'network-type': 'vpc' }, finds: ['network-type=vpc?'] },
};

describeRule(annotationEffect, EFFECTS);

describe('of an annotation that waits for another', () => {
  it('the other is named with its value in quotes, so that a switch is not read as a word', () => {
    const [violation] = violationsOf(annotationEffect, { keys: { ...HTTP, 'health-check-uri': '/healthz' } });
    assert.match(violation?.detail ?? '', /^has no effect without health-check-flag "on" on http or https listeners$/);
    assert.equal(violation?.remedy, 'set health-check-flag, or remove the annotation');
  });

  it('what keeps it from counting in any case is named first', () => {
    const [violation] = violationsOf(annotationEffect, { keys: { ...INTRANET, bandwidth: '100' } });
    assert.match(violation?.detail ?? '', /^has no effect: address-type is intranet$/);
  });
});
