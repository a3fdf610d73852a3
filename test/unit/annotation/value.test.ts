import assert from 'node:assert/strict';
import { CATALOGUE, ENTRIES, type OptionName } from '../../../src/annotation/catalogue.ts';
import { readerOf } from '../../../src/annotation/value.ts';
import type { ParsedValue } from '../../../src/annotation/option-definition.ts';

const read = (option: OptionName, text: string): ParsedValue<unknown> => readerOf(CATALOGUE[option].value)(text);
const isRead = (option: OptionName, text: string): boolean => read(option, text).ok;

const accepted: readonly (readonly [sentence: string, option: OptionName, text: string, value: unknown])[] = [
  ['wlc, which older load balancers know', 'scheduler', 'wlc', 'wlc'],
  ['-520 for the port of the backend', 'healthCheckConnectPort', '-520', -520],
  ['paying by bandwidth, whatever else is said', 'chargeType', 'paybybandwidth', 'paybybandwidth'],
  ['a switch that has always been read in any case', 'ignoreWeightUpdate', 'On', 'on'],
  ['an address family that has always been read in any case', 'backendIpVersion', 'IPv6', 'ipv6'],
  ['a sign and leading zeros before a number', 'establishedTimeout', '+0300', 300],
  ['any number of leading zeros', 'establishedTimeout', `${'0'.repeat(30)}300`, 300],
  ['nought where it is a value', 'persistenceTimeout', '0', 0],
  ['nought in many digits', 'weight', '0'.repeat(30), 0],
  ['a minus before nought', 'persistenceTimeout', '-0', 0],
  ['a TLS policy of the user', 'tlsCipherPolicy', 'tls-bp14bb1e7dll4f', 'tls-bp14bb1e7dll4f'],
  ['a name in Chinese', 'name', '订单 服务', '订单 服务'],
  ['a name of 128 characters beyond the basic plane', 'name', '😀'.repeat(128), '😀'.repeat(128)],
  ['any word as another controller', 'class', 'nginx-alb', 'nginx-alb'],
  ['an address', 'ip', '192.168.10.35', '192.168.10.35'],
  ['a host name', 'hostname', 'www.example.com', 'www.example.com'],
  ['a host name of four parts that is no address', 'hostname', '47.1.2.256', '47.1.2.256'],
  ["the backend's own address as the probed host", 'healthCheckDomain', '$_ip', '$_ip'],
  ['anything as a wish to preserve', 'preserveLbOnDelete', 'yes please', true],
  ['one protocol', 'protocolPort', 'udp:53', [{ protocol: 'udp', port: 53 }]],
  [
    'two protocols in their order, also on one number',
    'protocolPort',
    'tcp:53,udp:53',
    [
      { protocol: 'tcp', port: 53 },
      { protocol: 'udp', port: 53 },
    ],
  ],
  ['a redirect', 'forwardPort', '80:443', [{ from: 80, to: 443 }]],
  ['the highest port', 'forwardPort', '65535:1', [{ from: 65_535, to: 1 }]],
  ['a group of the user', 'vgroupPort', 'rsp-bp1a:80', [{ serverGroupId: 'rsp-bp1a', port: 80 }]],
  [
    'certificates by domain, with spaces around entries',
    'domainExtensions',
    '*.a.com:1_2, b.com:3-cn',
    [
      { domain: '*.a.com', certificateId: '1_2' },
      { domain: 'b.com', certificateId: '3-cn' },
    ],
  ],
  ['one access list', 'aclId', 'acl-a', ['acl-a']],
  ['an id that happens to hold a row of x', 'id', 'lb-bp1xxxxa', 'lb-bp1xxxxa'],
  ['several classes of status', 'healthCheckHttpcode', 'http_2xx,http_3xx', ['http_2xx', 'http_3xx']],
  ['labels with a prefix, and without a value', 'backendLabel', 'a.b/c=d,e=', { 'a.b/c': 'd', e: '' }],
  [
    'tags with spaces, without a value and without a sign',
    'additionalResourceTags',
    'a = b, c=,d',
    { a: 'b', c: '', d: '' },
  ],
];

const denied: readonly (readonly [sentence: string, option: OptionName, text: string, remedy: RegExp])[] = [
  ['another case', 'deleteProtection', 'On', /^use lower case: on$/],
  ['another case of a mixed one', 'instanceChargeType', 'paybyspec', /^use exactly this case: PayBySpec$/],
  ['a truth value as a switch', 'proxyProtocol', 'true', /^use on$/],
  ['a no as a switch that the cloud reads', 'deleteProtection', 'no', /^use off$/],
  ['a word as a switch', 'proxyProtocol', 'maybe', /^$/],
  ['a switch as a truth value', 'forceOverrideListeners', 'on', /^use true$/],
  ['another case of a truth value', 'forceOverrideListeners', 'True', /^use lower case: true$/],
  ['another case of a kind of backend', 'backendType', 'ENI', /^use lower case: eni$/],
  ['quotes inside', 'forceOverrideListeners', '"true"', /^remove the quotation marks from the value$/],
  ['spaces around', 'addressType', ' intranet', /^remove the spaces around "intranet"$/],
  ['a misspelling', 'addressType', 'intrnet', /^did you mean internet\?$/],
  ['something else altogether', 'addressType', 'vpc', /^$/],
  ['a placeholder', 'id', 'lb-${ID}', /placeholder/],
  ['an id never filled in', 'id', 'lb-xxx', /placeholder/],
  ['the beginning of an id, never filled in', 'vswitchId', 'vsw-bp1xxxx', /placeholder/],
  ['an access list never filled in', 'aclId', 'acl-bp1a,acl-xxxx', /placeholder/],
  ['a certificate never filled in', 'certId', 'your-cert-id', /placeholder/],
  ['a certificate of a domain never filled in', 'domainExtensions', 'a.com:123xxxx_166xxxx', /placeholder/],
  ['a placeholder in angle brackets', 'vswitchId', '<your-vswitch>', /placeholder/],
  ['a unit behind a number', 'healthCheckInterval', '10s', /^write the number alone, in seconds$/],
  ['a unit where there is none', 'weight', '60%', /^remove the unit: 60$/],
  ['a fraction', 'healthCheckInterval', '1.5', /^$/],
  ['a number beyond all numbers', 'bandwidth', '9'.repeat(400), /^$/],
  ['a sign alone', 'bandwidth', '-', /^$/],
  ['nought where it says nothing', 'establishedTimeout', '0', /^remove the annotation to use the default$/],
  ['two ids', 'id', 'lb-a,lb-b', /^use one value, not a list$/],
  ['the id of another product', 'id', 'nlb-a', /spec\.loadBalancerClass alibabacloud\.com\/nlb/],
  ['an id that begins with something else', 'id', 'slb-a', /^$/],
  ['a name too long', 'name', 'n'.repeat(129), /^use at most 128 characters$/],
  ['a link as a name', 'name', 'http://x', /^remove http:\/\/$/],
  ['a name of spaces', 'name', '  ', /^replace the spaces$/],
  ['an address with leading zeros', 'ip', '192.168.010.1', /^$/],
  ['an octet too large', 'ip', '10.0.0.256', /^$/],
  ['a host name in capitals', 'hostname', 'WWW.example.com', /^$/],
  ['an address for a host name', 'hostname', '47.1.2.3', /^$/],
  ['an address for a host name, zeros in front', 'hostname', '047.1.2.3', /^$/],
  ['a wildcard in a status', 'hostname', '*.example.com', /^$/],
  ['a label of a host name that ends with a dash', 'hostname', 'a-.com', /^$/],
  ['a slash alone', 'healthCheckUri', '/', /^$/],
  ['a path with spaces', 'healthCheckUri', '/a b', /^$/],
  ['a cookie that begins with a dollar', 'cookie', '$a', /^$/],
  ['spaces in a list', 'protocolPort', 'https:443, http:80', /^remove the spaces around "http:80"$/],
  ['a protocol in capitals', 'protocolPort', 'HTTP:80', /^use lower case in "HTTP"$/],
  ['a port before its protocol', 'protocolPort', '80:http', /^add the protocol, as in http:80$/],
  ['a port alone', 'protocolPort', '80', /^add the protocol, as in http:80$/],
  ['a protocol that no listener has', 'protocolPort', 'sctp:80', /^correct "sctp:80"/],
  ['port nought', 'protocolPort', 'tcp:0', /^correct "tcp:0"/],
  ['a port too high', 'protocolPort', 'tcp:65536', /^correct "tcp:65536"/],
  ['a third part', 'protocolPort', 'tcp:80:x', /^correct "tcp:80:x"/],
  ['a comma too many', 'protocolPort', 'tcp:80,,udp:53', /^remove the empty entry$/],
  ['a comma alone', 'protocolPort', ',', /^remove the empty entry$/],
  ['a comma at the end of groups, which has never been read', 'vgroupPort', 'rsp-bp1a:80,', /^remove the empty entry$/],
  [
    'several wrong entries, each of which is named',
    'protocolPort',
    'HTTP:80,https:443,8080',
    /^use lower case in "HTTP"; add the protocol, as in http:8080$/,
  ],
  ['more wrong entries than a sentence holds', 'forwardPort', 'a,b,b,c,d,e', /^correct "a", "b", "c" and 2 more$/],
  ['a redirect to a name', 'forwardPort', '80:https', /^correct "80:https"/],
  ['a group without a port', 'vgroupPort', 'rsp-bp1a', /^correct "rsp-bp1a"/],
  ['a domain in capitals', 'domainExtensions', 'A.com:1', /^correct "A.com:1"/],
  ['a domain with two certificates', 'domainExtensions', 'a.com:1,b.com:2,a.com:3', /^use the domain "a.com" once$/],
  ['an unknown class of status', 'healthCheckHttpcode', 'http_2xx,200', /^correct "200"$/],
  ['an access list that is none', 'aclId', 'list', /^correct "list"$/],
  ['a label without a value', 'backendLabel', 'pool', /^correct "pool"/],
  ['a label named twice', 'backendLabel', 'a=1,a=2', /^use the key "a" once$/],
  ['a tag of ours', 'additionalResourceTags', 'ack.aliyun.com=x', /: the controller manages this tag$/],
  ['a tag of the cloud', 'additionalResourceTags', 'acs:a=b', /: the prefixes acs: and aliyun are reserved$/],
  [
    'several tags of the cloud, which are named together',
    'additionalResourceTags',
    'acs:a=1,aliyun=2',
    /^rename "acs:a=1", "aliyun=2": the prefixes acs: and aliyun are reserved$/,
  ],
  [
    'mistakes of more kinds than a sentence holds',
    'protocolPort',
    'a, b,80,HTTP:90',
    /^correct "a"; remove the spaces around "b"; add the protocol, as in http:80; and 1 more$/,
  ],
  ['a tag with a link', 'additionalResourceTags', 'a=http://b', /^correct "a=http:\/\/b"/],
  ['a tag key too long', 'additionalResourceTags', `${'k'.repeat(65)}=v`, /^correct/],
  ['21 tags', 'additionalResourceTags', Array.from({ length: 21 }, (_, at) => `k${at}=v`).join(), /^$/],
  ['201 entries', 'protocolPort', Array.from({ length: 201 }, () => 'tcp:80').join(), /^use at most 200 entries$/],
];

/** Values that are read with an error. */
const advised: readonly (readonly [
  sentence: string,
  option: OptionName,
  text: string,
  value: unknown,
  remedy: RegExp,
])[] = [
  ['no, for off', 'proxyProtocol', 'no', 'off', /^use off$/],
  ['false, for off', 'removeUnscheduledBackend', 'false', 'off', /^use off$/],
  ['false, for off, in any case', 'ignoreWeightUpdate', 'False', 'off', /^use off$/],
  ['false in another case', 'forceOverrideListeners', 'False', false, /^use lower case: false$/],
  ['off, for false', 'forceOverrideListeners', 'off', false, /^use false$/],
  ['nodes as backends in another case', 'backendType', 'ECS', 'ecs', /^use lower case: ecs$/],
  ['a specification that is not known yet', 'spec', 'slb.s9.gigantic', 'slb.s9.gigantic', /^known values are /],
  ['a specification misspelt', 'spec', 'slb.s2.smal', 'slb.s2.smal', /^did you mean slb\.s2\.small\?$/],
  ['another size, which is no slip', 'spec', 'slb.s9.small', 'slb.s9.small', /^known values are /],
  [
    'a TLS policy of another version, in place of which no weaker one is proposed',
    'tlsCipherPolicy',
    'tls_cipher_policy_1_3',
    'tls_cipher_policy_1_3',
    /^known values are /,
  ],
  ['a comma at the end', 'protocolPort', 'tcp:80,', [{ protocol: 'tcp', port: 80 }], /^remove the trailing comma$/],
  ['a comma behind a redirect', 'forwardPort', '80:443,', [{ from: 80, to: 443 }], /^remove the trailing comma$/],
  ['several access lists', 'aclId', 'acl-a,acl-b', ['acl-a', 'acl-b'], /^$/],
  [
    'a second equals sign in a tag',
    'additionalResourceTags',
    'a=b=c',
    { a: 'b' },
    /^use one equals sign in "a=b=c": the text after the second is ignored$/,
  ],
  ['a comma too many among tags', 'additionalResourceTags', 'a=b,', { a: 'b' }, /^remove the entry without a key$/],
  ['a tag without a key', 'additionalResourceTags', 'a=b, =c', { a: 'b' }, /^remove the entry without a key$/],
  ['no tag at all', 'additionalResourceTags', ' , ', {}, /^add a key$/],
  [
    'a tag twice',
    'additionalResourceTags',
    'a=b,a=c',
    { a: 'c' },
    /^use the key "a" once: only the last value has an effect$/,
  ],
];

describe('the value of an annotation', () => {
  for (const [sentence, option, text, value, remedy] of advised) {
    it(`may be ${sentence}, with an error`, () => {
      const { ok, error, ...rest } = read(option, text);
      assert.equal(ok, true);
      assert.deepEqual(rest, { value });
      assert.match(error?.remedy ?? '', remedy);
    });
  }

  for (const [sentence, option, text, value] of accepted) {
    it(`may be ${sentence}`, () => assert.deepEqual(read(option, text), { ok: true, value }));
  }

  for (const [sentence, option, text, remedy] of denied) {
    it(`may not be ${sentence}, and the error has the remedy`, () => {
      const result = read(option, text);
      assert.equal(result.ok, false);
      assert.match(result.error.remedy ?? '', remedy);
      assert.notEqual(result.error.detail, '');
    });
  }

  for (const text of ['false', 'off', 'No', ' 0 ']) {
    it(`preserves with "${text}" as ever, and says that it does`, () => {
      const { ok, error } = read('preserveLbOnDelete', text);
      assert.equal(ok, true);
      assert.match(error?.remedy ?? '', /^remove the (annotation|spaces)/);
    });
  }

  it('makes properties of labels called like methods of objects', () => {
    const result = read('backendLabel', 'constructor=a,toString=b');
    assert.deepEqual(result, { ok: true, value: { constructor: 'a', toString: 'b' } });
  });

  it('cuts what it quotes, and keeps it on one line', () => {
    const remedy = read('protocolPort', `tcp\n${'x'.repeat(500)}:1`).error?.remedy ?? '';
    assert.ok(remedy.length < 200 && !remedy.includes('\n'), remedy);
  });

  it('does not cut what it quotes inside a surrogate pair', () => {
    const remedy = read('protocolPort', `x${'😀'.repeat(100)}:1`).error?.remedy ?? '';
    assert.ok(remedy.includes(`"x${'😀'.repeat(59)}…"`), remedy);
  });
});

describe('every whole number', () => {
  for (const [option, { value }] of ENTRIES) {
    if (value.kind !== 'integer') continue;
    it(`of ${option} is read from ${value.min} to ${value.max} and no further`, () => {
      const taken = [value.min, value.max, ...(value.also ?? [])];
      const deniedOnes = [value.min - 1, value.max + 1].filter((number) => value.also?.includes(number) !== true);
      for (const number of taken) assert.deepEqual(read(option, String(number)), { ok: true, value: number });
      for (const number of deniedOnes) {
        const error = read(option, String(number)).error;
        assert.match(error?.detail ?? '', new RegExp(`from ${value.min} to ${value.max}`));
      }
    });
  }
});

describe('every enumeration', () => {
  for (const [option, { value }] of ENTRIES) {
    if (value.kind !== 'enum') continue;
    it(`of ${option} reads ${value.values.join(', ')} and nothing else`, () => {
      for (const word of value.values) assert.deepEqual(read(option, word), { ok: true, value: word });
      assert.equal(isRead(option, 'something-else'), false);
      assert.equal(isRead(option, (value.values[0] ?? '').toUpperCase()), value.anyCase === true);
    });
  }
});

describe('every text of a certain length', () => {
  for (const [option, { value, example }] of ENTRIES) {
    if (value.kind !== 'text' || value.format !== undefined || value.known !== undefined) continue;
    it(`of ${option} has at most ${value.max} characters`, () => {
      const longest = example + 'a'.repeat(value.max - example.length);
      assert.equal(isRead(option, longest), true);
      assert.equal(isRead(option, `${longest}a`), false);
    });
  }
});

describe('the error of a value', () => {
  const hostile = ['', ' ', '"', '\u202e', '\u0000', 'x'.repeat(5000), ',', '=', ':', '-', '99999', 'On', '1s', '${x}'];
  for (const [option] of ENTRIES) {
    it(`has texts without a full stop for ${option}`, () => {
      for (const text of hostile) {
        const { error } = read(option, text);
        if (error === undefined) continue;
        assert.doesNotMatch(error.detail, /\.$/);
        assert.doesNotMatch(error.remedy ?? '', /\.$/);
        assert.ok((error.remedy ?? '').length < 300, error.remedy);
      }
    });
  }
});
