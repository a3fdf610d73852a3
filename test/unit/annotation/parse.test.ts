import assert from 'node:assert/strict';
import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { entriesOf } from '../../support/option-entries.ts';

const key = (suffix: string): string => `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-${suffix}`;
const old = (suffix: string): string => `service.beta.kubernetes.io/alicloud-loadbalancer-${suffix}`;

/** All rules, the controller and the commands read annotations by this parser. */
describe('annotations', () => {
  it('that are absent have no effect', () => {
    for (const none of [undefined, {}]) {
      const { keys, options, values, ...rest } = parseAnnotations(none);
      assert.deepEqual([[...keys], entriesOf(options)], [[], {}]);
      assert.ok(ENTRIES.every((_, place) => values.at(place) === undefined));
      assert.deepEqual(rest, { issues: [], unknown: [], deprecated: [], nlbOnly: [] });
    }
  });

  it('that are empty have no effect', () => {
    const parsed = parseAnnotations({ [key('bandwidth')]: '', [key('preserve-lb-on-delete')]: '' });
    assert.deepEqual([entriesOf(parsed.options), [...parsed.keys], parsed.issues], [{}, [], []]);
  });

  it('with a defined empty value have an effect if they are empty', () => {
    assert.deepEqual(entriesOf(parseAnnotations({ [key('tunnel-type')]: '' }).options), { tunnelType: true });
  });

  it('that are not strings have no effect', () => {
    const manifest = JSON.parse(`{"${key('bandwidth')}": 45, "${key('id')}": null}`) as Record<string, string>;
    assert.deepEqual(entriesOf(parseAnnotations(manifest).options), {});
  });

  it('that are valid are parsed next to invalid annotations, which are reported', () => {
    const { options, issues, keys } = parseAnnotations({
      [key('scheduler')]: 'wrr',
      [key('bandwidth')]: '9999',
      [key('delete-protection')]: 'On',
    });
    assert.deepEqual(entriesOf(options), { scheduler: 'wrr' });
    assert.deepEqual([...keys].map(([option]) => option).sort(), ['bandwidth', 'deleteProtection', 'scheduler']);
    assert.deepEqual(
      issues.map(({ option, value }) => [option, value]),
      [
        ['bandwidth', '9999'],
        ['deleteProtection', 'On'],
      ],
    );
  });

  it('preserve-lb-on-delete with the text "false" preserve the load balancer, and are reported', () => {
    const { options, issues } = parseAnnotations({ [key('preserve-lb-on-delete')]: 'false' });
    assert.deepEqual(entriesOf(options), { preserveLbOnDelete: true });
    assert.equal(issues[0]?.option, 'preserveLbOnDelete');
  });
});

describe('of several forms of a key', () => {
  it('the old form of the network type is ignored, as in Alibaba Cloud Controller Manager 2.0', () => {
    const { options, deprecated, unknown } = parseAnnotations({ [old('slb-network-type')]: 'classic' });
    assert.deepEqual([entriesOf(options), deprecated], [{}, []]);
    assert.deepEqual(
      unknown.map((item) => item.key),
      [old('slb-network-type')],
    );
  });

  const rows = {
    'the current form has effect': [[key('bandwidth'), '1'], [old('bandwidth'), '2'], { bandwidth: 1 }],
    'the current form has effect even if it is empty': [[key('bandwidth'), ''], [old('bandwidth'), '2'], {}],
    'the current form has effect even if its value is invalid': [[key('bandwidth'), 'x'], [old('bandwidth'), '2'], {}],
    'the later deprecated form has effect': [[old('cert-id'), 'a'], [old('CertID'), 'b'], { certId: 'a' }],
  } as const;
  for (const [title, [first, second, options]] of Object.entries(rows)) {
    it(title, () => {
      assert.deepEqual(entriesOf(parseAnnotations(Object.fromEntries([first, second])).options), options);
      assert.deepEqual(entriesOf(parseAnnotations(Object.fromEntries([second, first])).options), options);
    });
  }

  it('each deprecated form is reported, in the order of keys', () => {
    const { deprecated } = parseAnnotations({ [old('id')]: 'lb-a', [old('cert-id')]: 'x', [old('CertID')]: 'y' });
    assert.deepEqual(
      deprecated.map((item) => item.key),
      [old('CertID'), old('cert-id'), old('id')],
    );
  });
});

describe('an unknown key', () => {
  const meant: Readonly<Record<string, string | undefined>> = {
    'adress-type': 'address-type',
    bandwith: 'bandwidth',
    'Address-Type': 'address-type',
    'health-check-healthy-threshold': 'healthy-threshold',
    'health-check-healthy-treshold': 'healthy-threshold',
    'health-check-unhealthy-threshold': 'unhealthy-threshold',
    'health-check-http-code': 'health-check-httpcode',
    'health-check-port': 'health-check-connect-port',
    'master-zone': 'master-zoneid',
    'master-zone-id': 'master-zoneid',
    'access-control-type': 'acl-type',
    'access-control-list': 'acl-id',
    'redirect-http-to-https': 'forward-port',
    'access-control-enable': 'acl-status',
    'security-group-id': undefined,
    'security-groups-id': undefined,
    'backend-level-type': undefined,
    'zone-mapping': undefined,
    'enable-access-log': undefined,
    region: undefined,
    'quite-another-thing': undefined,
    ['x'.repeat(300)]: undefined,
  };
  for (const [suffix, nearest] of Object.entries(meant)) {
    it(`${suffix.slice(0, 40)} ${nearest === undefined ? 'gets no suggestion' : `gets the suggestion ${nearest}`}`, () => {
      for (const form of [key(suffix), old(suffix)]) {
        const expected = nearest === undefined ? { key: form } : { key: form, nearest: key(nearest) };
        assert.deepEqual(parseAnnotations({ [form]: 'on' }).unknown, [expected]);
      }
    });
  }

  it('without loadbalancer- gets the suggestion of the key with loadbalancer-', () => {
    const missing = 'service.beta.kubernetes.io/alibaba-cloud-address-type';
    assert.deepEqual(parseAnnotations({ [missing]: 'intranet' }).unknown, [
      { key: missing, nearest: key('address-type') },
    ]);
  });

  it('with load-balancer gets the suggestion of the key with loadbalancer', () => {
    const dashed = 'service.beta.kubernetes.io/alibaba-cloud-load-balancer-address-type';
    assert.deepEqual(parseAnnotations({ [dashed]: 'intranet' }).unknown, [
      { key: dashed, nearest: key('address-type') },
    ]);
  });

  it('is reported with prefixes similar to ours', () => {
    for (const alike of [
      'service.beta.kubernetes.io/aliyun-loadbalancer-address-type',
      'service.beta.kubernetes.io/alibabacloud-load-balancer-address-type',
      'service.kubernetes.io/alibaba-cloud-loadbalancer-address-type',
      'alicloud-loadbalancer-adress-type',
    ]) {
      assert.deepEqual(parseAnnotations({ [alike]: 'intranet' }).unknown, [
        { key: alike, nearest: key('address-type') },
      ]);
    }
    const qps = 'service.beta.kubernetes.io/dlb-listener-maxqps';
    assert.deepEqual(parseAnnotations({ [qps]: '100000' }).unknown, [{ key: qps }]);
  });

  it('with our prefix gets the suggestion of the key that has its suffix without our prefix', () => {
    for (const suffix of ['backend-type', 'backend-tpye']) {
      assert.deepEqual(parseAnnotations({ [key(suffix)]: 'ecs' }).unknown, [
        { key: key(suffix), nearest: 'service.beta.kubernetes.io/backend-type' },
      ]);
    }
  });

  it('is ignored if it belongs to the private-zone controller', () => {
    const parsed = parseAnnotations({
      'service.beta.kubernetes.io/alibaba-cloud-private-zone-enable': 'true',
      'service.beta.kubernetes.io/alicloud-private-zone-name': 'x',
    });
    assert.deepEqual([parsed.unknown, parsed.nlbOnly], [[], []]);
  });

  it('is listed separately if the controller of network load balancers reads it', () => {
    const parsed = parseAnnotations({ [key('zone-maps')]: 'x', [key('cacert')]: 'y' });
    assert.deepEqual([parsed.unknown, parsed.nlbOnly], [[], [key('cacert'), key('zone-maps')]]);
  });

  it('is ignored with any other prefix', () => {
    const others = { 'service.beta.kubernetes.io/aws-load-balancer-type': 'nlb', 'app.kubernetes.io/name': 'x' };
    assert.deepEqual(parseAnnotations(others).unknown, []);
  });

  it('gets a suggestion only if it is one of the first twenty, in the order of keys', () => {
    const many = Array.from({ length: 30 }, (_, at) => [key(`bandwidt${String(at).padStart(2, '0')}`), 'x']);
    const { unknown } = parseAnnotations(Object.fromEntries(many) as Record<string, string>);
    assert.equal(unknown.length, 30);
    assert.equal(unknown.filter(({ nearest }) => nearest !== undefined).length, 20);
    assert.equal(unknown[0]?.nearest, key('bandwidth'));
  });
});
