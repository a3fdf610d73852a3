import assert from 'node:assert/strict';
import { readConfig } from '../../../webhook/config.ts';

const DEFAULTS = {
  port: '9443',
  bindAddress: '',
  tlsCertDir: '/etc/portcullis/tls',
  clientNames: '',
  healthProbeBindAddr: ':10259',
  deprecatedKeys: 'auto',
  warnOnly: false,
  strict: false,
  protectedLoadBalancers: '',
  drainSeconds: '10',
  cacheSyncSeconds: '20',
  maxInFlight: '400',
  logLevel: 'info',
};

/** A wrong default would make the webhook deny or skip requests in all clusters. */
describe('the flags of the webhook', () => {
  it('have defaults that fit the manifests', () => {
    assert.deepEqual(readConfig(DEFAULTS), {
      listen: { host: '', port: 9443 },
      probes: { host: '', port: 10259 },
      certificate: { certFile: '/etc/portcullis/tls/tls.crt', keyFile: '/etc/portcullis/tls/tls.key' },
      deprecatedKeys: 'auto',
      warnOnly: false,
      strict: false,
      protectedLoadBalancers: new Set(),
      drainMs: 10_000,
      cacheSyncMs: 20_000,
      maxInFlight: 400,
      logLevel: 'info',
    });
  });

  const accepted: Record<string, { input: object; config: object }> = {
    'accept two files instead of a folder': {
      input: { tlsCertFile: 'a.crt', tlsPrivateKeyFile: 'a.key' },
      config: { certificate: { certFile: 'a.crt', keyFile: 'a.key' } },
    },
    'accept an address with a host': {
      input: { healthProbeBindAddr: '127.0.0.1:0' },
      config: { probes: { host: '127.0.0.1', port: 0 } },
    },
    'accept an IPv6 address in brackets': {
      input: { healthProbeBindAddr: '[::1]:81' },
      config: { probes: { host: '::1', port: 81 } },
    },
    'prefer the probe port over the port of the address': {
      input: { healthProbeBindAddr: '127.0.0.1:1', probePort: '2' },
      config: { probes: { host: '127.0.0.1', port: 2 } },
    },
    'accept ids joined by commas': {
      input: { protectedLoadBalancers: 'lb-a1, lb-b2,' },
      config: { protectedLoadBalancers: new Set(['lb-a1', 'lb-b2']) },
    },
    'accept an authority of clients, and the names of clients': {
      input: { clientCaFile: 'ca.crt', clientNames: 'kube-apiserver, other' },
      config: { clients: { caFile: 'ca.crt', names: new Set(['kube-apiserver', 'other']) } },
    },
    'accept a kubeconfig': { input: { kubeconfig: 'k' }, config: { kubeconfig: 'k' } },
  };
  for (const [title, { input, config }] of Object.entries(accepted)) {
    it(title, () =>
      assert.deepEqual({ ...readConfig({ ...DEFAULTS, ...input }), ...config }, readConfig({ ...DEFAULTS, ...input })),
    );
  }

  const denied: Record<string, { input: object; message: RegExp }> = {
    'a port above the range': {
      input: { port: '65536' },
      message: /--port "65536": expected a whole number from 0 to 65535/,
    },
    'a port that is not a number': { input: { port: 'https' }, message: /--port "https"/ },
    'an address without a port': {
      input: { healthProbeBindAddr: 'localhost' },
      message: /--health-probe-bind-addr "localhost": expected an address such as/,
    },
    'a host name as the bind address': {
      input: { bindAddress: 'localhost' },
      message: /--bind-address "localhost": expected an IP address/,
    },
    'an unknown value, with a similar known value as advice': {
      input: { deprecatedKeys: 'kepe' },
      message: /expected one of auto, replace, keep \(did you mean keep\?\)/,
    },
    'an unknown log level': { input: { logLevel: 'loud' }, message: /--log-level "loud": expected one of trace/ },
    'an invalid id': {
      input: { protectedLoadBalancers: 'lb-a,nlb-b' },
      message: /--protected-load-balancers "lb-a,nlb-b": expected comma-separated ids such as lb-/,
    },
    'a certificate without its key': { input: { tlsCertFile: 'a' }, message: /set both, or set only/ },
    'names of clients without an authority': {
      input: { clientNames: 'kube-apiserver' },
      message: /--client-names: requires --client-ca-file/,
    },
    'several errors, with all of them in the message': {
      input: { port: 'x', logLevel: 'y' },
      message: /--port "x".*; --log-level "y"/,
    },
  };
  for (const [title, { input, message }] of Object.entries(denied)) {
    it(`reject ${title}`, () =>
      assert.throws(() => readConfig({ ...DEFAULTS, ...input }), { reason: 'InvalidConfiguration', message }));
  }
});
