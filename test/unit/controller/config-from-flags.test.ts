import assert from 'node:assert/strict';
import { readControllerConfig, type ControllerConfig } from '../../../src/controller/config-from-flags.ts';
import { FLAGS } from '../../../src/controller/flags.ts';
import { duration } from '../../../src/controller/go-values.ts';
import { hasReason } from '../../../src/base/errors.ts';

const RANGE = { 'cluster-cidr': '10.0.0.0/16' };
const read = (flags: Readonly<Record<string, string>> = {}): ControllerConfig =>
  readControllerConfig(new Map(Object.entries({ 'cloud-config': '/c', ...flags })));
const names = ({ controllers }: ControllerConfig): readonly string[] => [...controllers].sort();

/** Users keep the flags of the Alibaba Cloud Controller Manager, so a different default would change the behavior of their clusters. */
describe('the flags of the controller', () => {
  it('default to the values of the existing controller', () => {
    const { election, probes, metrics, apiRate, network } = read();
    assert.deepEqual(election, {
      lease: { namespace: 'kube-system', name: 'ccm' },
      timing: { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 },
    });
    assert.deepEqual(
      [probes, metrics, apiRate, network],
      [{ host: '', port: 10_258 }, undefined, { perSecond: 20, burst: 30 }, 'vpc'],
    );
  });

  const chosen: Record<string, string[]> = {
    '*': ['inventory', 'node', 'route', 'service'],
    'node,route,service,nlb': ['inventory', 'node', 'route', 'service'],
    service: ['inventory', 'service'],
    'service-lb-controller': ['inventory', 'service'],
    node: ['inventory', 'node'],
    'cloud-node': ['inventory', 'node'],
    'cloud-node-controller': ['inventory', 'node'],
    'cloud-node-lifecycle': ['inventory', 'node'],
    'cloud-node-lifecycle-controller': ['inventory', 'node'],
    'cloud-node,cloud-node-lifecycle': ['inventory', 'node'],
    route: ['inventory', 'route'],
    'node-route-controller': ['inventory', 'route'],
    nlb: ['inventory'],
    ingress: ['inventory'],
    pvtz: ['inventory'],
    '-service': ['inventory', 'node', 'route'],
    '-service-lb-controller': ['inventory', 'node', 'route'],
    '*,-node-route-controller': ['inventory', 'node', 'service'],
    '*,-node': ['inventory', 'route', 'service'],
    '-cloud-node,-cloud-node-lifecycle': ['inventory', 'route', 'service'],
    'service,-cloud-node-lifecycle': ['inventory', 'service'],
    '*,-inventory': ['node', 'route', 'service'],
    inventory: ['inventory'],
  };
  for (const [text, expected] of Object.entries(chosen)) {
    it(`select ${expected.join(' and ')} with --controllers=${text}`, () =>
      assert.deepEqual(names(read({ ...RANGE, controllers: text })), expected));
  }

  it('warn that cloud-node alone also starts the work of cloud-node-lifecycle', () => {
    const warningsFor = (controllers: string): readonly string[] => read({ ...RANGE, controllers }).warnings;
    assert.deepEqual(warningsFor('cloud-node-controller'), [
      '--controllers: cloud-node starts the controller "node", which does the work of cloud-node and cloud-node-lifecycle',
    ]);
    for (const whole of ['cloud-node,cloud-node-lifecycle', 'node', '*', 'node,cloud-node'])
      assert.deepEqual(warningsFor(whole), []);
  });

  const times: Record<string, number> = {
    '0': 0,
    '15s': 15_000,
    '1m30s': 90_000,
    '1.5h': 5_400_000,
    '.5m': 30_000,
    '2.s': 2_000,
    '1h0m0.25s': 3_600_250,
    '500ms': 500,
    '1500us': 1.5,
    '1500µs': 1.5,
    '1000000ns': 1,
    '+3m': 180_000,
    '87600h': 315_360_000_000,
  };
  for (const [written, ms] of Object.entries(times)) {
    it(`parse the duration ${written} as Go does`, () => {
      const { data = NaN } = duration.safeParse(written);
      assert.ok(Math.abs(data - ms) < 1e-6, `${data} ms`);
    });
  }

  it('reject the durations that Go rejects', () => {
    const none = [
      '',
      '5',
      '1.5',
      '.s',
      '1d',
      '1 s',
      's',
      '-5s',
      '1..5s',
      '1m 30s',
      '1e3s',
      '٣s',
      '3000000h',
      `${'1'.repeat(70)}s`,
    ];
    assert.deepEqual(
      none.filter((written) => duration.safeParse(written).success),
      [],
    );
  });

  it('parse switches and numbers as Go does', () => {
    const switches = ['true', 'True', 'TRUE', 't', 'T', '1', 'false', 'False', 'FALSE', 'f', 'F', '0'];
    assert.deepEqual(
      switches.map((written) => read({ 'enable-imdsv2': written }).hasHardenedMetadata),
      switches.map((written) => /^[tT1]/.test(written)),
    );
    const rates = { '20': 20, '20.5': 20.5, '.5': 0.5, '5.': 5, '2e1': 20, '+7': 7 };
    for (const [written, rate] of Object.entries(rates))
      assert.equal(read({ 'kube-api-qps': written }).apiRate.perSecond, rate, written);
  });

  it('enable routes for the pod ranges, and no routes without a range', () => {
    const routes = (flags: Record<string, string>) => {
      const { routes: found } = read(flags);
      return found && [found.clusterCidrs.map(({ text }) => text), found.auditMs];
    };
    const range = { 'cluster-cidr': '10.0.0.0/16,fd00::/48' };
    assert.deepEqual(routes(range), [['10.0.0.0/16', 'fd00::/48'], 3_600_000]);
    assert.deepEqual(routes({ ...range, 'route-reconciliation-period': '10s' })?.[1], 60_000);
    assert.equal(routes({ ...range, 'configure-cloud-routes': 'false' }), undefined);
    assert.equal(routes({}), undefined);
    assert.equal(read({ 'skip-disable-source-dest-check': 'true' }).sourceDestCheck, 'leave');
    assert.equal(read({}).providerIdForm, 'region.instance');
    const form = 'alicloud://region.instance';
    assert.equal(read({ 'provider-id-form': form }).providerIdForm, form);
    assert.throws(() => read({ 'provider-id-form': 'alicloud' }), /expected one of region.instance, alicloud:\/\//);
  });

  it('use IMDSv2 and the token file of the add-on, unless configured otherwise', () => {
    const cloud = (flags: Record<string, string>) => {
      const { hasHardenedMetadata, tokenFile } = read(flags);
      return [hasHardenedMetadata, tokenFile];
    };
    assert.deepEqual(cloud({}), [true, '/var/addon/token-config']);
    assert.deepEqual(cloud({ 'enable-imdsv2': 'false', 'addon-token-file': '/t' }), [false, '/t']);
  });

  it('accept the names that older manifests use', () => {
    assert.deepEqual(read({ address: '127.0.0.1', port: '10252' }).probes, { host: '127.0.0.1', port: 10_252 });
    assert.deepEqual(read({ 'probe-port': '1' }).probes, { host: '', port: 1 });
    assert.equal(read({ v: '5' }).logLevel, 'debug');
    assert.equal(read({ v: '2' }).logLevel, 'info');
    assert.equal(read({ 'leader-elect': 'false' }).election, undefined);
    assert.equal(read({ 'leader-elect-lease-duration': '1m30s' }).election?.timing.leaseMs, 90_000);
    assert.deepEqual(read({ 'metrics-bind-addr': ':8080' }).metrics, { host: '', port: 8080 });
    assert.deepEqual(read({ 'cluster-cidr': '10.0.0.0/16, fd00::/48' }).clusterCidrs, ['10.0.0.0/16', 'fd00::/48']);
  });

  for (const { name, value, support } of FLAGS) {
    if (support.kind === 'used') continue;
    const text = { text: 'x', switch: 'true', 'whole number': '1', number: '1', duration: '1s' }[value];
    it(`treat --${name} as ${support.kind}, with a message that explains the reason`, () => {
      if (support.kind === 'ignored')
        assert.deepEqual(read({ ...RANGE, [name]: text }).warnings, [`--${name} has no effect: ${support.because}`]);
      else assert.throws(() => read({ [name]: text }), new RegExp(`--${name}: `));
    });
  }

  it('warn about values without effect', () => {
    assert.deepEqual(read({ 'leader-elect-resource-lock': 'endpoints', controllers: 'nlb,service' }).warnings, [
      '--leader-elect-resource-lock endpoints has no effect: the controller uses a Lease',
      '--controllers: ignored nlb, which this version does not have',
    ]);
  });

  it('warn about routes without a range, unless routes are disabled', () => {
    const NO_RANGE = [
      'no routes are created without --cluster-cidr; set --cluster-cidr to the range of the pods, or set --configure-cloud-routes=false',
    ];
    const warned: Record<string, [flags: Record<string, string>, warnings: readonly string[]]> = {
      'all controllers': [{}, NO_RANGE],
      'all controllers except one': [{ controllers: '-service' }, NO_RANGE],
      'no route controller': [{ controllers: 'service,node' }, []],
      'disabled routes': [{ controllers: 'route', 'configure-cloud-routes': 'false' }, []],
      'a range': [{ ...RANGE, controllers: 'route' }, []],
    };
    for (const [what, [flags, warnings]] of Object.entries(warned))
      assert.deepEqual(read(flags).warnings, warnings, what);
  });

  const wrong: Record<string, [flags: Record<string, string>, message: RegExp]> = {
    'an unknown controller': [
      { controllers: 'servise' },
      /--controllers "servise": there is no controller servise \(perhaps service\)/,
    ],
    'an exclusion of cloud-node-lifecycle without cloud-node': [
      { controllers: '*,-cloud-node-lifecycle' },
      /cloud-node-lifecycle cannot be excluded alone, because the controller "node" does the work of cloud-node and cloud-node-lifecycle; exclude "node",/,
    ],
    'an exclusion of cloud-node without cloud-node-lifecycle': [
      { controllers: '-cloud-node-controller' },
      /cloud-node cannot be excluded alone/,
    ],
    'a lease that is retried without a pause': [{ 'leader-elect-retry-period': '0' }, /expected more than 0/],
    'a lease of zero length': [{ 'leader-elect-lease-duration': '0s' }, /lease-duration must be longer than/],
    'a negative duration': [{ 'node-removal-grace': '-1m' }, /expected a time such as 15s, 1m30s or 1\.5h/],
    'a duration without a unit': [{ 'leader-elect-retry-period': '2' }, /expected a time such as 15s/],
    'a lease shorter than its renewal': [{ 'leader-elect-lease-duration': '5s' }, /lease-duration must be longer than/],
    'a grace period for Nodes that is too short': [
      { 'node-removal-grace': '9s' },
      /--node-removal-grace "9s": expected 10s or more/,
    ],
    'a renewal shorter than a retry': [{ 'leader-elect-retry-period': '11s' }, /renew-deadline must be longer than/],
    'an IPv6 range that contains IPv4 addresses': [
      { 'cluster-cidr': '::ffff:10.0.0.0/112' },
      /expected ranges such as 10\.244\.0\.0\/16/,
    ],
    'an invalid range': [{ 'cluster-cidr': '10.0.0.0' }, /expected ranges such as 10\.244\.0\.0\/16/],
    'two ranges of the same family': [
      { 'cluster-cidr': '10.0.0.0/16,10.1.0.0/16' },
      /expected one range, or an IPv4 and an IPv6 range/,
    ],
    'routes that are enabled without a range': [{ 'configure-cloud-routes': 'true' }, /requires --cluster-cidr/],
    'the route controller, selected by name, without a range': [
      { controllers: 'service,route' },
      /^--controllers includes "route", which requires --cluster-cidr; set --cluster-cidr to the range of the pods, or set --configure-cloud-routes=false$/,
    ],
    'the route controller, selected by its upstream name, without a range': [
      { controllers: 'node-route-controller' },
      /--controllers includes "route", which requires --cluster-cidr/,
    ],
    'an invalid id': [{ 'protected-load-balancers': 'web' }, /expected ids such as lb-/],
    'a port out of range': [{ 'health-probe-bind-addr': ':70000' }, /expected an address such as :10258/],
    'a switch that is neither true nor false': [{ 'leader-elect': 'yes' }, /expected true or false/],
    'a request rate of zero': [{ 'kube-api-qps': '0' }, /--kube-api-qps "0": expected a number from 0\.1 to 10000/],
    'a request rate that is not a number': [{ 'kube-api-qps': '20,5' }, /expected a number from 0\.1 to 10000/],
    'a burst of half a request': [{ 'kube-api-burst': '30.5' }, /expected a whole number from 1 to 10000/],
  };
  for (const [what, [flags, message]] of Object.entries(wrong)) {
    it(`reject ${what}`, () =>
      assert.throws(
        () => read(flags),
        (error: Error) => hasReason(error, 'InvalidConfiguration') && message.test(error.message),
      ));
  }

  it('report all errors and missing values together', () => {
    const all = () =>
      readControllerConfig(
        new Map([
          ['network', 'x'],
          ['kube-api-qps', '0'],
        ]),
      );
    assert.throws(
      all,
      /--cloud-config is missing \(the cloud-config file, JSON or YAML, [^;]*\); --network "x".*; --kube-api-qps "0"/,
    );
  });
});
