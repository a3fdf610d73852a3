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

  const accepted: Record<string, { said: object; config: object }> = {
    'name two files instead of a folder': {
      said: { tlsCertFile: 'a.crt', tlsPrivateKeyFile: 'a.key' },
      config: { certificate: { certFile: 'a.crt', keyFile: 'a.key' } },
    },
    'take an address with a host': {
      said: { healthProbeBindAddr: '127.0.0.1:0' },
      config: { probes: { host: '127.0.0.1', port: 0 } },
    },
    'take an IPv6 address in brackets': {
      said: { healthProbeBindAddr: '[::1]:81' },
      config: { probes: { host: '::1', port: 81 } },
    },
    'let the probe port win over that of the address': {
      said: { healthProbeBindAddr: '127.0.0.1:1', probePort: '2' },
      config: { probes: { host: '127.0.0.1', port: 2 } },
    },
    'take ids joined by commas': {
      said: { protectedLoadBalancers: 'lb-a1, lb-b2,' },
      config: { protectedLoadBalancers: new Set(['lb-a1', 'lb-b2']) },
    },
    'take an authority of clients, and the names of these': {
      said: { clientCaFile: 'ca.crt', clientNames: 'kube-apiserver, other' },
      config: { clients: { caFile: 'ca.crt', names: new Set(['kube-apiserver', 'other']) } },
    },
    'take a kubeconfig': { said: { kubeconfig: 'k' }, config: { kubeconfig: 'k' } },
  };
  for (const [sentence, { said, config }] of Object.entries(accepted)) {
    it(sentence, () =>
      assert.deepEqual({ ...readConfig({ ...DEFAULTS, ...said }), ...config }, readConfig({ ...DEFAULTS, ...said })),
    );
  }

  const denied: Record<string, { said: object; message: RegExp }> = {
    'a port that is too high': {
      said: { port: '65536' },
      message: /--port "65536": expected a whole number from 0 to 65535/,
    },
    'a port that is no number': { said: { port: 'https' }, message: /--port "https"/ },
    'an address without a port': {
      said: { healthProbeBindAddr: 'localhost' },
      message: /--health-probe-bind-addr "localhost": expected an address such as/,
    },
    'a host name to bind': {
      said: { bindAddress: 'localhost' },
      message: /--bind-address "localhost": expected an IP address/,
    },
    'a value near a known one, which it names': {
      said: { deprecatedKeys: 'kepe' },
      message: /expected one of auto, replace, keep \(perhaps keep\)/,
    },
    'an unknown log level': { said: { logLevel: 'loud' }, message: /--log-level "loud": expected one of trace/ },
    'something that is no id': {
      said: { protectedLoadBalancers: 'lb-a,nlb-b' },
      message: /--protected-load-balancers "lb-a,nlb-b": expected ids such as lb-/,
    },
    'a certificate without its key': { said: { tlsCertFile: 'a' }, message: /give both, or neither/ },
    'names of clients for which nobody vouches': {
      said: { clientNames: 'kube-apiserver' },
      message: /--client-names: nobody vouches for names without --client-ca-file/,
    },
    'several at once, all of them named': {
      said: { port: 'x', logLevel: 'y' },
      message: /--port "x".*; --log-level "y"/,
    },
  };
  for (const [sentence, { said, message }] of Object.entries(denied)) {
    it(`deny ${sentence}`, () =>
      assert.throws(() => readConfig({ ...DEFAULTS, ...said }), { reason: 'InvalidConfiguration', message }));
  }
});
