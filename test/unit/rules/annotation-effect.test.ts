import assert from 'node:assert/strict';
import { annotationEffect } from '../../../src/rules/annotation-effect.ts';
import { violationsOf } from '../../support/rule-violations.ts';
import { describeRule, type RuleRow } from '../../support/rule-rows.ts';

const HTTP = { 'protocol-port': 'http:80' };
const HTTPS = { 'protocol-port': 'https:443,http:80', 'cert-id': '1-cn' };
const TWO_PORTS = { ports: [80, 443] };
const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const INTRANET = { 'address-type': 'intranet' };
const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const EFFECTS: Record<string, RuleRow> = {
  'a specification on a load balancer charged by use': {
    keys: { spec: 'slb.s2.small', 'instance-charge-type': 'PayByCLCU' },
    finds: ['spec=slb.s2.small?'],
  },
  'a specification on a new load balancer without a charge type': {
    keys: { spec: 'slb.s2.small' },
    finds: ['spec=slb.s2.small?'],
  },
  'a specification on an existing load balancer that may be charged by specification': {
    keys: { spec: 'slb.s2.small' },
    isThere: true,
    finds: [],
  },
  'bandwidth with a charge by traffic': { keys: { bandwidth: '100' }, finds: ['bandwidth=100?'] },
  'the internet charge type of a private load balancer': {
    keys: { ...INTRANET, 'charge-type': 'paybybandwidth', 'instance-charge-type': 'PayByCLCU' },
    finds: ['charge-type=paybybandwidth?'],
  },
  'bandwidth of a private load balancer': {
    keys: { ...INTRANET, 'charge-type': 'paybybandwidth', 'instance-charge-type': 'PayBySpec', bandwidth: '100' },
    finds: ['charge-type=paybybandwidth?', 'bandwidth=100?'],
  },
  'a value that equals the default': {
    keys: { ...INTRANET, 'charge-type': 'paybytraffic', 'ip-version': 'ipv4', 'http2-enabled': 'off' },
    finds: [],
  },
  'a vSwitch on the internet': { keys: { 'vswitch-id': 'vsw-1' }, finds: ['vswitch-id=vsw-1?'] },
  'a vSwitch for a reused load balancer': {
    keys: { ...INTRANET, id: 'lb-1', 'vswitch-id': 'vsw-1' },
    finds: ['vswitch-id=vsw-1?'],
  },
  'preservation of a load balancer that is never deleted': {
    keys: { id: 'lb-1', 'preserve-lb-on-delete': 'true' },
    finds: ['preserve-lb-on-delete=true?'],
  },
  'an elastic address for a public load balancer': {
    keys: { 'external-ip-type': 'eip' },
    finds: ['external-ip-type=eip?'],
  },
  'an elastic address for a reused load balancer': { keys: { id: 'lb-1', 'external-ip-type': 'eip' }, finds: [] },
  'an elastic address next to a host name': {
    keys: { ...INTRANET, 'external-ip-type': 'eip', hostname: 'a.example.com' },
    finds: ['external-ip-type=eip?'],
  },
  'force-override-listeners on without reuse': {
    keys: { 'force-override-listeners': 'true' },
    finds: ['force-override-listeners=true?'],
  },
  'force-override-listeners off without reuse': { keys: { 'force-override-listeners': 'false' }, finds: [] },
  'a server group on an owned load balancer': {
    keys: { 'vgroup-port': 'rsp-1:80' },
    finds: ['vgroup-port=rsp-1:80?'],
  },
  'a redirect without an http port': { keys: { 'forward-port': '80:443' }, finds: ['forward-port=80:443?'] },
  'attributes of unmanaged listeners': {
    keys: { ...HTTP, id: 'lb-1', 'forward-port': '80:443', scheduler: 'wrr', 'acl-status': 'off' },
    finds: ['protocol-port=http:80?', 'forward-port=80:443?', 'scheduler=wrr?'],
  },
  'http attributes with an http port that only redirects, to a foreign listener': {
    keys: { ...HTTP, ...OVERRIDE, 'forward-port': '80:443', 'idle-timeout': '15' },
    finds: ['idle-timeout=15?'],
  },
  'http attributes with an http port that redirects to https': {
    keys: { ...HTTPS, 'forward-port': '80:443', 'idle-timeout': '15' },
    input: TWO_PORTS,
    finds: [],
  },
  'a certificate without https': { keys: { 'cert-id': '1-cn' }, finds: ['cert-id=1-cn?'] },
  'a certificate with unreadable protocols': { keys: { 'protocol-port': 'x', 'cert-id': '1-cn' }, finds: [] },
  'a certificate for a missing port, which another rule reports': {
    keys: HTTPS,
    finds: [],
  },
  'TCP attributes on http': {
    keys: { ...HTTP, 'persistence-timeout': '0', 'established-timeout': '100', 'proxy-protocol': 'on' },
    finds: ['persistence-timeout=0?', 'established-timeout=100?', 'proxy-protocol=on?'],
  },
  'http attributes on TCP, except values that equal the default': {
    keys: { 'idle-timeout': '15', 'request-timeout': '60', 'xforwardedfor-proto': 'on', 'http2-enabled': 'on' },
    finds: ['idle-timeout=15?', 'request-timeout=60?', 'xforwardedfor-proto=on?'],
  },
  'http attributes on TCP and http': { keys: { ...HTTP, 'idle-timeout': '15' }, input: TWO_PORTS, finds: [] },
  'an access control list without acl-status': {
    keys: { 'acl-id': 'acl-1', 'acl-type': 'white' },
    finds: ['acl-id=acl-1?', 'acl-type=white?'],
  },
  'an access control list that is off': { keys: { 'acl-status': 'off', 'acl-id': 'acl-1' }, finds: [] },
  'a path of TCP health checks': { keys: { 'health-check-uri': '/a' }, finds: ['health-check-uri=/a?'] },
  'a path of HTTP health checks': { keys: { 'health-check-type': 'http', 'health-check-uri': '/a' }, finds: [] },
  'a path of health checks without health-check-flag': {
    keys: { ...HTTP, 'health-check-uri': '/a', 'healthy-threshold': '4' },
    finds: ['health-check-uri=/a?', 'healthy-threshold=4?'],
  },
  'a path of health checks that are off': {
    keys: { ...HTTP, 'health-check-flag': 'off', 'health-check-uri': '/a' },
    finds: [],
  },
  'a path of health checks on overridden listeners of a user-managed load balancer': {
    keys: { ...HTTP, ...OVERRIDE, 'health-check-uri': '/a' },
    finds: [],
  },
  'a path of health checks with HTTP health checks on': {
    keys: { ...HTTP, 'health-check-flag': 'on', 'health-check-uri': '/a' },
    input: TWO_PORTS,
    finds: [],
  },
  'a threshold of health checks that has effect for TCP, but not for http': {
    keys: { ...HTTP, 'healthy-threshold': '4' },
    input: TWO_PORTS,
    finds: [],
  },
  'the health check type with http listeners, as in vendor examples': {
    keys: { ...HTTP, 'health-check-type': 'http', 'health-check-flag': 'on' },
    finds: [],
  },
  'the health check type with unmanaged listeners': {
    keys: { id: 'lb-1', 'health-check-type': 'http' },
    finds: ['health-check-type=http?'],
  },
  'a health check timeout below the interval': {
    keys: { 'health-check-interval': '10', 'health-check-connect-timeout': '5', 'health-check-timeout': '5' },
    finds: ['health-check-timeout=5?', 'health-check-connect-timeout=5?'],
  },
  'a health check timeout equal to the interval': {
    keys: { 'health-check-interval': '5', 'health-check-connect-timeout': '5' },
    finds: [],
  },
  'IPv6 backends behind an IPv4 address': {
    keys: { 'backend-ip-version': 'IPv6' },
    finds: ['backend-ip-version=IPv6?'],
  },
  'the annotation backend-label with pods as backends': {
    keys: { 'backend-label': 'a=b', 'remove-unscheduled-backend': 'off' },
    facts: { cluster: { backendType: 'eni' } },
    finds: ['backend-label=a=b?'],
  },
  'the annotation backend-label without facts about the cluster': {
    keys: { 'backend-label': 'a=b' },
    facts: { cluster: null, freshness: { kind: 'absent' } },
    finds: [],
  },
  'the annotation backend-label with pods as requested backends': {
    keys: { 'backend-label': 'a=b' },
    input: { annotations: { [BACKEND_TYPE]: 'eni' } },
    finds: ['backend-label=a=b?'],
  },
  'the network type on the internet': { keys: { 'network-type': 'vpc' }, finds: ['network-type=vpc?'] },
};

/** An annotation without an effect misleads its author. In `finds`, `?` marks a warning. */
describeRule(annotationEffect, EFFECTS);

describe('the message about an annotation without effect', () => {
  it('quotes the value that the other annotation needs', () => {
    const [violation] = violationsOf(annotationEffect, { keys: { ...HTTP, 'health-check-uri': '/healthz' } });
    assert.match(violation?.detail ?? '', /^has no effect on http or https listeners without health-check-flag "on"$/);
    assert.equal(violation?.remedy, 'set health-check-flag, or remove the annotation');
  });

  it('has the most general reason first', () => {
    const [violation] = violationsOf(annotationEffect, { keys: { ...INTRANET, bandwidth: '100' } });
    assert.match(violation?.detail ?? '', /^has no effect: address-type is intranet$/);
  });
});
