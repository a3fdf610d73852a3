import type { LeftBehind } from './existing-controller.ts';
import { annotating } from './load-balancers.ts';

const WORLD = {
  certificates: ['cert-1', 'cert-2'].map((id) => ({ id, commonName: id, expiresAt: '2099-01-01T00:00:00Z' })),
  accessControlLists: ['acl-1', 'acl-2'].map((id) => ({ id, name: id })),
};
const HTTPS = { 'protocol-port': 'https:443', 'cert-id': 'cert-1' };

/** Services of the Alibaba Cloud Controller Manager with listeners of every kind on owned load balancers. A takeover changes nothing in the cloud. */
export const LISTENERS: Readonly<Record<string, LeftBehind>> = {
  'several ports': { ports: [80, 443, 8080] },
  'a port without a name': { ports: [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort: 30080 }] },
  'a certificate that has expired since': {
    ports: [443],
    annotations: HTTPS,
    world: WORLD,
    since: async ({ simulator }) => {
      simulator.seed({ certificates: [{ id: 'cert-1', commonName: 'cert-1', expiresAt: '2020-01-01T00:00:00Z' }] });
    },
  },
  'annotations of health checks and sessions that are off': {
    annotations: {
      'protocol-port': 'http:80',
      'health-check-flag': 'off',
      'health-check-interval': '7',
      'sticky-session': 'off',
      'sticky-session-type': 'insert',
      'cookie-timeout': '300',
    },
  },
  'annotations of listeners of other protocols, without effect': {
    annotations: {
      'sticky-session': 'on',
      'sticky-session-type': 'insert',
      'cookie-timeout': '300',
      'idle-timeout': '30',
      'connection-drain-timeout': '30',
    },
  },
  'a UDP port': {
    ports: [{ name: 'dns', port: 53, protocol: 'UDP', targetPort: 53, nodePort: 30053 }],
    later: annotating({ 'health-check-switch': 'off' }, 'SetLoadBalancerUDPListenerAttribute'),
  },
  'the same port for TCP and UDP': {
    ports: [
      { name: 'tcp', port: 53, protocol: 'TCP', targetPort: 53, nodePort: 30053 },
      { name: 'udp', port: 53, protocol: 'UDP', targetPort: 53, nodePort: 30054 },
    ],
  },
  HTTP: {
    annotations: { 'protocol-port': 'http:80' },
    later: annotating({ 'idle-timeout': '30' }, 'SetLoadBalancerHTTPListenerAttribute'),
  },
  HTTPS: {
    ports: [443],
    annotations: HTTPS,
    world: WORLD,
    later: annotating({ 'cert-id': 'cert-2' }, 'SetLoadBalancerHTTPSListenerAttribute'),
  },
  'HTTP that redirects to HTTPS': {
    ports: [80, 443],
    annotations: { 'protocol-port': 'http:80,https:443', 'cert-id': 'cert-1', 'forward-port': '80:443' },
    world: WORLD,
    later: annotating({ 'request-timeout': '30' }, 'SetLoadBalancerHTTPSListenerAttribute'),
  },
  'additional domains': {
    ports: [443],
    annotations: { ...HTTPS, 'domain-extensions': 'a.example:cert-2,b.example:cert-1' },
    world: WORLD,
    later: annotating({ 'domain-extensions': 'a.example:cert-2' }, 'DeleteDomainExtension'),
  },
  'a TLS policy and no HTTP/2': {
    ports: [443],
    annotations: { ...HTTPS, 'tls-cipher-policy': 'tls_cipher_policy_1_2', 'http2-enabled': 'off' },
    world: WORLD,
  },
  'HTTPS, HTTP and TCP, with annotations for all of them': {
    ports: [80, 443, 9000],
    annotations: {
      'protocol-port': 'http:80,https:443',
      'cert-id': 'cert-1',
      scheduler: 'wrr',
      'established-timeout': '300',
      'idle-timeout': '20',
      'health-check-flag': 'on',
      'health-check-type': 'http',
      'health-check-uri': '/healthz',
      'health-check-interval': '5',
    },
    world: WORLD,
  },
  'an access control list': {
    annotations: { 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-1' },
    world: WORLD,
    later: annotating({ 'acl-type': 'black' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'two access control lists, in another order than in the cloud': {
    annotations: { 'acl-status': 'on', 'acl-type': 'black', 'acl-id': 'acl-1,acl-2' },
    world: WORLD,
    since: async (cluster, LoadBalancerId) => {
      const turned = { AclStatus: 'on', AclType: 'black', AclId: 'acl-2,acl-1' };
      await cluster.ask('SetLoadBalancerTCPListenerAttribute', { LoadBalancerId, ListenerPort: 80, ...turned });
    },
  },
  'an access control list that is off': {
    annotations: { 'acl-status': 'off', 'acl-type': 'white', 'acl-id': 'acl-1' },
    world: WORLD,
  },
  'TCP health checks': {
    annotations: {
      'health-check-connect-port': '8081',
      'health-check-interval': '10',
      'health-check-connect-timeout': '12',
      'healthy-threshold': '4',
      'unhealthy-threshold': '5',
    },
    later: annotating({ 'healthy-threshold': '2' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'health checks with a timeout below the interval, which the cloud raised': {
    annotations: { 'health-check-interval': '10', 'health-check-connect-timeout': '3' },
  },
  'no probes': { annotations: { 'health-check-switch': 'off' } },
  'HTTP health checks of a TCP port': {
    annotations: {
      'health-check-type': 'http',
      'health-check-uri': '/healthz',
      'health-check-domain': '$_ip',
      'health-check-httpcode': 'http_2xx,http_3xx',
    },
  },
  'health checks of an HTTP port': {
    annotations: {
      'protocol-port': 'http:80',
      'health-check-flag': 'on',
      'health-check-uri': '/healthz',
      'health-check-timeout': '8',
      'health-check-method': 'get',
      'health-check-domain': 'shop.example.com',
    },
  },
  'sessions with a cookie of the cloud': {
    annotations: {
      'protocol-port': 'http:80',
      'sticky-session': 'on',
      'sticky-session-type': 'insert',
      'cookie-timeout': '1800',
    },
    later: annotating({ 'sticky-session': 'off' }, 'SetLoadBalancerHTTPListenerAttribute'),
  },
  'sessions with a cookie of the server': {
    annotations: {
      'protocol-port': 'http:80',
      'sticky-session': 'on',
      'sticky-session-type': 'server',
      cookie: 'session',
    },
  },
  'sessions by address': {
    annotations: { 'persistence-timeout': '1800', 'established-timeout': '60' },
    later: annotating({ 'persistence-timeout': '0' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'draining, and the PROXY protocol': {
    annotations: { 'connection-drain': 'on', 'connection-drain-timeout': '30', 'proxy-protocol': 'on' },
    later: annotating({ 'proxy-protocol': 'off' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'additional headers for its servers': {
    annotations: {
      'protocol-port': 'http:80',
      'xforwardedfor-proto': 'on',
      'xforwardedfor-slbport': 'on',
      'xforwardedfor-clientsrcport': 'on',
    },
  },
  'timeouts of a listener': {
    annotations: { 'protocol-port': 'http:80', 'idle-timeout': '60', 'request-timeout': '180' },
    later: annotating({ 'idle-timeout': null }, 'SetLoadBalancerHTTPListenerAttribute'),
  },
};
