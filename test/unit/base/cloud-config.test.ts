import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GLOBAL } from '../../../src/base/cloud-config-schema.ts';
import { backendTypeOf, parseCloudConfig, readCloudConfig, type CloudConfig } from '../../../src/base/cloud-config.ts';

const NAME = '/etc/cloud.conf';
const parse = (global: object) => parseCloudConfig(JSON.stringify({ Global: global }), NAME);
const base64 = (text: string) => Buffer.from(text).toString('base64');

const keyOf = (warning: string) => /^cloud-config: Global\.(\w+) has no effect: ./.exec(warning)?.[1];

const DEFAULTS: CloudConfig = {
  clusterId: 'clusterid',
  vSwitches: [],
  routeTableIds: [],
  disablePublicSLB: false,
  backendType: 'ecs',
  serviceWorkers: 3,
  featureGates: {
    IPv6DualStack: false,
    EndpointSlice: true,
    FilterServiceOnNodeChange: false,
    LoadBalancerTypeAnnotation: false,
  },
};

/** Users keep the file of the Alibaba Cloud Controller Manager, so each of its keys must be read or reported. */
describe('the cloud-config file', () => {
  it('can have an empty Global, because every key has a default or comes from the metadata', () => {
    assert.deepEqual(parse({}).config, DEFAULTS);
  });

  it('causes a warning without a cluster id', () => {
    assert.match(parse({}).warnings.join(), /Global\.clusterID is not set/);
    assert.deepEqual(parse({ clusterID: 'c1' }).warnings, []);
  });

  it('accepts JSON with every key of the existing controller', () => {
    const { config, accessKey, warnings } = parse({
      accessKeyID: base64('LTAIexample'),
      accessKeySecret: base64('topsecret\n'),
      clusterID: 'c1',
      kubernetesClusterTag: 'my.tag',
      region: 'cn-hangzhou',
      vpcid: 'vpc-1',
      vswitchid: 'cn-hangzhou-b:vsw-1, cn-hangzhou-c:vsw-2',
      zoneid: 'cn-hangzhou-b',
      resourceGroupID: ' rg-1 ',
      routeTableIDs: ' vtb-1,vtb-2 ',
      disablePublicSLB: 'true',
      serviceBackendType: 'ENI',
      serviceMaxConcurrentReconciles: '5',
      nodeMaxConcurrentReconciles: 2,
      routeMaxConcurrentReconciles: 4,
      featureGates: 'IPv6DualStack=true, EndpointSlice=false',
    });
    assert.deepEqual(accessKey, { id: 'LTAIexample', secret: 'topsecret' });
    assert.deepEqual(warnings.map(keyOf), [
      'kubernetesClusterTag',
      'zoneid',
      'nodeMaxConcurrentReconciles',
      'routeMaxConcurrentReconciles',
    ]);
    assert.deepEqual(config, {
      clusterId: 'c1',
      regionId: 'cn-hangzhou',
      vpcId: 'vpc-1',
      resourceGroupId: 'rg-1',
      vSwitches: [
        { zoneId: 'cn-hangzhou-b', vSwitchId: 'vsw-1' },
        { zoneId: 'cn-hangzhou-c', vSwitchId: 'vsw-2' },
      ],
      routeTableIds: ['vtb-1', 'vtb-2'],
      disablePublicSLB: true,
      backendType: 'eni',
      serviceWorkers: 5,
      featureGates: { ...DEFAULTS.featureGates, IPv6DualStack: true, EndpointSlice: false },
    });
  });

  it('accepts YAML, with keys in any case', () => {
    const { config } = parseCloudConfig('global:\n  CLUSTERid: c2\n  disablepublicslb: true\n', NAME);
    assert.equal(config.clusterId, 'c2');
    assert.equal(config.disablePublicSLB, true);
  });

  it('treats empty and null values as absent', () => {
    assert.deepEqual(
      parse({ clusterID: '', region: null, vpcid: '', accessKeyID: '', accessKeySecret: '' }).config,
      DEFAULTS,
    );
  });

  const withoutEffect = {
    uid: '1234567890123456',
    kubernetesClusterTag: 'ack.aliyun.com',
    zoneid: 'cn-hangzhou-b',
    nodeMonitorPeriod: 120,
    nodeAddrSyncPeriod: 240,
    nodeMaxConcurrentReconciles: 1,
    routeMaxConcurrentReconciles: 1,
    privateZoneId: 'z',
    privateZoneRecordTTL: 60,
  };
  for (const [key, value] of Object.entries(withoutEffect)) {
    it(`causes a message that ${key} has no effect, with the reason`, () => {
      const [warning = '', ...others] = parse({ clusterID: 'c1', [key.toUpperCase()]: value }).warnings;
      assert.match(warning, new RegExp(`^cloud-config: Global\\.${key} has no effect: .`));
      assert.deepEqual(others, []);
    });
  }

  it('causes a message for enabled feature gates', () => {
    const warningsFor = (featureGates: string): readonly string[] => parse({ clusterID: 'c1', featureGates }).warnings;
    assert.deepEqual(warningsFor('FilterServiceOnNodeChange=true,LoadBalancerTypeAnnotation=true'), [
      'cloud-config: feature gate FilterServiceOnNodeChange has no effect: a Service whose Nodes have not changed causes no cloud call',
      'cloud-config: feature gate LoadBalancerTypeAnnotation has no effect: Portcullis manages only Classic Load Balancers',
    ]);
    assert.deepEqual(warningsFor('FilterServiceOnNodeChange=false,IPv6DualStack=true,EndpointSlice=false'), []);
  });

  const effective = {
    region: 'cn-beijing',
    vpcid: 'vpc-9',
    vswitchid: 'vsw-9',
    resourceGroupID: 'rg-9',
    routeTableIDs: 'vtb-9',
    disablePublicSLB: true,
    serviceBackendType: 'eni',
    serviceMaxConcurrentReconciles: 9,
    featureGates: 'IPv6DualStack=true',
  };
  for (const [key, value] of Object.entries(effective)) {
    it(`reads ${key} without a warning`, () => {
      const { config, warnings } = parse({ clusterID: 'c1', [key]: value });
      assert.notDeepEqual(config, parse({ clusterID: 'c1' }).config);
      assert.deepEqual(warnings, []);
    });
  }

  it('has a known effect for every known key', () => {
    const others = ['clusterID', 'accessKeyID', 'accessKeySecret'];
    const known = [...Object.keys(withoutEffect), ...Object.keys(effective), ...others];
    assert.deepEqual(Object.keys(GLOBAL.shape).sort(), known.sort());
  });

  const slips: readonly ((key: string) => string)[] = [
    (key) => key.slice(0, -1),
    (key) => `${key}s`,
    (key) => `${key.slice(0, 1)}${key.slice(2, 3)}${key.slice(1, 2)}${key.slice(3)}`,
    (key) => `${key.slice(0, 1)}x${key.slice(2)}`,
  ];
  for (const key of Object.keys(GLOBAL.shape)) {
    it(`recognizes misspellings of ${key}`, () => {
      for (const slip of slips.map((misspell) => misspell(key)).filter((each) => each !== key))
        assert.throws(() => parse({ [slip]: 'x' }), {
          message: new RegExp(`unknown key Global\\.${slip}; did you mean ${key}\\?`),
        });
    });
  }

  const vSwitches = {
    'a plain id': ['vsw-1', [{ vSwitchId: 'vsw-1' }]],
    'a zone and an id': ['z:vsw-1', [{ zoneId: 'z', vSwitchId: 'vsw-1' }]],
    'empty zones': [':vsw-1,:vsw-2', [{ vSwitchId: 'vsw-1' }, { vSwitchId: 'vsw-2' }]],
  } as const;
  for (const [form, [written, expected]] of Object.entries(vSwitches)) {
    it(`accepts vSwitches as ${form}`, () =>
      assert.deepEqual(parse({ vswitchid: written }).config.vSwitches, expected));
  }

  const rejected = {
    'a misspelled key, with the nearest key': [
      { clusterIds: 'c1' },
      /unknown key Global\.clusterIds; did you mean clusterID\?/,
    ],
    'an unrelated key, without a suggestion': [{ somethingElse: 1 }, /unknown key Global\.somethingElse$/],
    'a repeated key in different case': [{ clusterID: 'a', clusterid: 'b' }, /Global\.clusterid is set twice/],
    'a key id without its secret': [
      { accessKeyID: base64('id') },
      /accessKeyID is set and accessKeySecret is not: set both or neither/,
    ],
    'a secret without its key id': [{ accessKeySecret: base64('s') }, /accessKeySecret is set and accessKeyID is not/],
    'a key that is not base64': [
      { accessKeyID: 'LTAI-plain', accessKeySecret: base64('s') },
      /accessKeyID: expected the key in standard base64/,
    ],
    'a base64 key with other content': [
      { accessKeyID: 'LTAIplainkey', accessKeySecret: base64('s') },
      /accessKeyID: expected the key in standard base64/,
    ],
    'a malformed vSwitch': [{ vswitchid: 'a:b:vsw-1' }, /vswitchid: expected vsw-/],
    'a repeated vSwitch': [{ vswitchid: 'vsw-1,z:vsw-1' }, /vswitchid: must contain each vSwitch once/],
    'an invalid region': [{ region: 'Hangzhou' }, /region: expected a region such as cn-hangzhou/],
    'an invalid VPC id': [{ vpcid: 'vsw-1' }, /vpcid: expected an id that begins with vpc-/],
    'an invalid backend type': [{ serviceBackendType: 'pod' }, /serviceBackendType: expected ecs or eni/],
    'a flag that is neither true nor false': [{ disablePublicSLB: 'yes' }, /disablePublicSLB: .*true or false/],
    'a number of workers out of range': [
      { serviceMaxConcurrentReconciles: 0 },
      /expected a whole number from 1 to 100/,
    ],
    'an unknown feature gate': [
      { featureGates: 'EndpointSlices=true' },
      /unknown feature gate EndpointSlices; did you mean EndpointSlice\?/,
    ],
    'a gate with the name of an object method': [{ featureGates: 'toString=true' }, /unknown feature gate toString/],
    'a gate without a boolean': [{ featureGates: 'EndpointSlice=on' }, /EndpointSlice must be true or false/],
  } as const;
  for (const [what, [global, message]] of Object.entries(rejected)) {
    it(`rejects ${what}`, () => {
      assert.throws(() => parse(global), { reason: 'InvalidConfiguration', message });
    });
  }

  it('reports all errors together', () => {
    assert.throws(
      () =>
        parseCloudConfig(JSON.stringify({ Global: { regoin: 'x', vpcid: 'x', accessKeyID: 'x' }, Other: {} }), NAME),
      ({ message }: Error) =>
        ['Other', 'regoin', 'did you mean region', 'vpcid', 'accessKeyID:', 'accessKeySecret is not'].every((part) =>
          message.includes(part),
        ),
    );
  });

  it('is rejected without Global, and if empty', () => {
    for (const content of ['', '[]', '{"clusterID": "c1"}', '"text"']) {
      assert.throws(() => parseCloudConfig(content, NAME), { message: /Global must be set to an object/ });
    }
  });

  it('causes an error with the position of a syntax error, and without the text of the file', () => {
    const broken = 'Global:\n  accessKeySecret: "dG9wc2VjcmV0\n  clusterID: c1\n';
    assert.throws(
      () => parseCloudConfig(broken, NAME),
      ({ message }: Error) =>
        /line \d+, column \d+: must be JSON or YAML/.test(message) && !message.includes('dG9wc2Vj'),
    );
  });

  it('causes an error without the value of a rejected access key', () => {
    assert.throws(
      () => parse({ accessKeyID: 'LTAI5tPlainTextKey', accessKeySecret: 'PlainTextSecret!' }),
      ({ message }: Error) => !message.includes('Plain'),
    );
  });

  describe('and the environment', () => {
    const cases = [
      ['ecs', undefined, 'ecs'],
      ['eni', '', 'eni'],
      ['ecs', 'true', 'eni'],
      ['eni', 'False', 'ecs'],
    ] as const;
    for (const [file, variable, expected] of cases) {
      it(`give ${expected} for ${file} and SERVICE_FORCE_BACKEND_ENI=${variable ?? '(unset)'}`, () => {
        assert.equal(backendTypeOf({ backendType: file }, { SERVICE_FORCE_BACKEND_ENI: variable }), expected);
      });
    }

    it('reject any other value', () => {
      assert.throws(() => backendTypeOf({ backendType: 'ecs' }, { SERVICE_FORCE_BACKEND_ENI: 'eni' }), {
        reason: 'InvalidConfiguration',
        message: /SERVICE_FORCE_BACKEND_ENI is "eni": set true or false/,
      });
    });
  });

  describe('on disk', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'cloud-config-'));
    });
    after(() => rm(folder, { recursive: true }));

    it('is read', async () => {
      const path = join(folder, 'cloud.conf');
      await writeFile(path, '{"Global": {"clusterID": "c9"}}');
      assert.equal((await readCloudConfig(path)).config.clusterId, 'c9');
    });

    it('is reported as missing with its path and its flag', async () => {
      await assert.rejects(readCloudConfig(join(folder, 'none')), {
        reason: 'InvalidConfiguration',
        message: /none: file not found; set the path with --cloud-config/,
      });
    });
  });
});
