import assert from 'node:assert/strict';
import { CATALOGUE, ENTRIES, type OptionName } from '../../../src/annotation/catalogue.ts';
import { readerOf } from '../../../src/annotation/value-readers.ts';
import type { ParsedValue } from '../../../src/annotation/option-definition.ts';

const read = (option: OptionName, text: string): ParsedValue<unknown> => readerOf(CATALOGUE[option].value)(text);
const isRead = (option: OptionName, text: string): boolean => read(option, text).ok;

const accepted: readonly (readonly [title: string, option: OptionName, text: string, value: unknown])[] = [
  ['wlc, which older load balancers have', 'scheduler', 'wlc', 'wlc'],
  ['-520 for the backend port', 'healthCheckConnectPort', '-520', -520],
  ['the charge type by bandwidth', 'chargeType', 'paybybandwidth', 'paybybandwidth'],
  ['a switch in any case, as in earlier releases', 'ignoreWeightUpdate', 'On', 'on'],
  ['an address family in any case, as in earlier releases', 'backendIpVersion', 'IPv6', 'ipv6'],
  ['a sign and leading zeros before a number', 'establishedTimeout', '+0300', 300],
  ['any number of leading zeros', 'establishedTimeout', `${'0'.repeat(30)}300`, 300],
  ['zero where zero is valid', 'persistenceTimeout', '0', 0],
  ['zero with many digits', 'weight', '0'.repeat(30), 0],
  ['a minus before zero', 'persistenceTimeout', '-0', 0],
  ['a TLS policy of the user', 'tlsCipherPolicy', 'tls-bp14bb1e7dll4f', 'tls-bp14bb1e7dll4f'],
  ['a name in Chinese', 'name', '订单 服务', '订单 服务'],
  ['a name of 128 characters beyond the basic plane', 'name', '😀'.repeat(128), '😀'.repeat(128)],
  ['the class of any other controller', 'class', 'nginx-alb', 'nginx-alb'],
  ['an address', 'ip', '192.168.10.35', '192.168.10.35'],
  ['a host name', 'hostname', 'www.example.com', 'www.example.com'],
  ['a host name of four parts that is no address', 'hostname', '47.1.2.256', '47.1.2.256'],
  ["the backend's own address as the probed host", 'healthCheckDomain', '$_ip', '$_ip'],
  ['any text that requests preservation', 'preserveLbOnDelete', 'yes please', true],
  ['one protocol', 'protocolPort', 'udp:53', [{ protocol: 'udp', port: 53 }]],
  [
    'two protocols in order, also for the same port',
    'protocolPort',
    'tcp:53,udp:53',
    [
      { protocol: 'tcp', port: 53 },
      { protocol: 'udp', port: 53 },
    ],
  ],
  ['a redirect', 'forwardPort', '80:443', [{ from: 80, to: 443 }]],
  ['the highest port', 'forwardPort', '65535:1', [{ from: 65_535, to: 1 }]],
  ['a user-managed group', 'vgroupPort', 'rsp-bp1a:80', [{ serverGroupId: 'rsp-bp1a', port: 80 }]],
  [
    'certificates by domain, with spaces around entries',
    'domainExtensions',
    '*.a.com:1_2, b.com:3-cn',
    [
      { domain: '*.a.com', certificateId: '1_2' },
      { domain: 'b.com', certificateId: '3-cn' },
    ],
  ],
  ['a single access list', 'aclId', 'acl-a', ['acl-a']],
  ['an id with repeated letters x', 'id', 'lb-bp1xxxxa', 'lb-bp1xxxxa'],
  ['several classes of status', 'healthCheckHttpcode', 'http_2xx,http_3xx', ['http_2xx', 'http_3xx']],
  ['labels with a prefix, and without a value', 'backendLabel', 'a.b/c=d,e=', { 'a.b/c': 'd', e: '' }],
  [
    'tags with spaces, without a value and without a sign',
    'additionalResourceTags',
    'a = b, c=,d',
    { a: 'b', c: '', d: '' },
  ],
];

const denied: readonly (readonly [title: string, option: OptionName, text: string, remedy: RegExp])[] = [
  ['on in another case', 'deleteProtection', 'On', /^use lower case: on$/],
  ['a mixed-case value in another case', 'instanceChargeType', 'paybyspec', /^use exactly this case: PayBySpec$/],
  ['a boolean instead of on or off', 'proxyProtocol', 'true', /^use on$/],
  ['no instead of off, although the cloud accepts no', 'deleteProtection', 'no', /^use off$/],
  ['a word instead of on or off', 'proxyProtocol', 'maybe', /^$/],
  ['on instead of true', 'forceOverrideListeners', 'on', /^use true$/],
  ['true in another case', 'forceOverrideListeners', 'True', /^use lower case: true$/],
  ['a backend type in capitals', 'backendType', 'ENI', /^use lower case: eni$/],
  ['true in quotation marks', 'forceOverrideListeners', '"true"', /^remove the quotation marks from the value$/],
  ['a word with spaces around it', 'addressType', ' intranet', /^remove the spaces around "intranet"$/],
  ['a misspelling', 'addressType', 'intrnet', /^did you mean internet\?$/],
  ['an unrelated word', 'addressType', 'vpc', /^$/],
  ['a placeholder', 'id', 'lb-${ID}', /placeholder/],
  ['a placeholder as an id', 'id', 'lb-xxx', /placeholder/],
  ['a truncated placeholder as an id', 'vswitchId', 'vsw-bp1xxxx', /placeholder/],
  ['a placeholder as an access list', 'aclId', 'acl-bp1a,acl-xxxx', /placeholder/],
  ['a placeholder as a certificate', 'certId', 'your-cert-id', /placeholder/],
  ['a placeholder as the certificate of a domain', 'domainExtensions', 'a.com:123xxxx_166xxxx', /placeholder/],
  ['a placeholder in angle brackets', 'vswitchId', '<your-vswitch>', /placeholder/],
  ['a unit after a number', 'healthCheckInterval', '10s', /^write the number alone, in seconds$/],
  ['a percent sign after a number', 'weight', '60%', /^remove the unit: 60$/],
  ['a fraction', 'healthCheckInterval', '1.5', /^$/],
  ['an extremely large number', 'bandwidth', '9'.repeat(400), /^$/],
  ['a sign without a number', 'bandwidth', '-', /^$/],
  ['zero where zero is invalid', 'establishedTimeout', '0', /^remove the annotation to use the default$/],
  ['two ids', 'id', 'lb-a,lb-b', /^use one value, not a list$/],
  ['the id of another product', 'id', 'nlb-a', /spec\.loadBalancerClass alibabacloud\.com\/nlb/],
  ['an id with another prefix', 'id', 'slb-a', /^$/],
  ['a name that is too long', 'name', 'n'.repeat(129), /^use at most 128 characters$/],
  ['a URL as a name', 'name', 'http://x', /^remove http:\/\/$/],
  ['a name of spaces', 'name', '  ', /^replace the spaces$/],
  ['an address with leading zeros', 'ip', '192.168.010.1', /^$/],
  ['an address with an octet above 255', 'ip', '10.0.0.256', /^$/],
  ['a host name in capitals', 'hostname', 'WWW.example.com', /^$/],
  ['an address as a host name', 'hostname', '47.1.2.3', /^$/],
  ['an address with leading zeros as a host name', 'hostname', '047.1.2.3', /^$/],
  ['a host name with a wildcard', 'hostname', '*.example.com', /^$/],
  ['a label of a host name that ends with a dash', 'hostname', 'a-.com', /^$/],
  ['a path of a single slash', 'healthCheckUri', '/', /^$/],
  ['a path with spaces', 'healthCheckUri', '/a b', /^$/],
  ['a cookie that starts with a dollar sign', 'cookie', '$a', /^$/],
  ['spaces in a list', 'protocolPort', 'https:443, http:80', /^remove the spaces around "http:80"$/],
  ['a protocol in capitals', 'protocolPort', 'HTTP:80', /^use lower case in "HTTP"$/],
  ['a port before its protocol', 'protocolPort', '80:http', /^add the protocol, as in http:80$/],
  ['a port without a protocol', 'protocolPort', '80', /^add the protocol, as in http:80$/],
  ['a protocol without listeners', 'protocolPort', 'sctp:80', /^correct "sctp:80"/],
  ['the port 0', 'protocolPort', 'tcp:0', /^correct "tcp:0"/],
  ['a port above the range', 'protocolPort', 'tcp:65536', /^correct "tcp:65536"/],
  ['an entry with a third part', 'protocolPort', 'tcp:80:x', /^correct "tcp:80:x"/],
  ['an extra comma', 'protocolPort', 'tcp:80,,udp:53', /^remove the empty entry$/],
  ['a single comma', 'protocolPort', ',', /^remove the empty entry$/],
  ['a comma at the end of groups, which is always invalid', 'vgroupPort', 'rsp-bp1a:80,', /^remove the empty entry$/],
  [
    'several invalid entries, each in the error',
    'protocolPort',
    'HTTP:80,https:443,8080',
    /^use lower case in "HTTP"; add the protocol, as in http:8080$/,
  ],
  ['more invalid entries than an error contains', 'forwardPort', 'a,b,b,c,d,e', /^correct "a", "b", "c" and 2 more$/],
  ['a redirect to a name', 'forwardPort', '80:https', /^correct "80:https"/],
  ['a group without a port', 'vgroupPort', 'rsp-bp1a', /^correct "rsp-bp1a"/],
  ['a domain in capitals', 'domainExtensions', 'A.com:1', /^correct "A.com:1"/],
  ['a domain with two certificates', 'domainExtensions', 'a.com:1,b.com:2,a.com:3', /^use the domain "a.com" once$/],
  ['an unknown class of status', 'healthCheckHttpcode', 'http_2xx,200', /^correct "200"$/],
  ['an invalid access list', 'aclId', 'list', /^correct "list"$/],
  ['a label without a value', 'backendLabel', 'pool', /^correct "pool"/],
  ['a repeated label', 'backendLabel', 'a=1,a=2', /^use the key "a" once$/],
  [
    'a tag that the controller manages',
    'additionalResourceTags',
    'ack.aliyun.com=x',
    /: the controller manages this tag$/,
  ],
  ['a tag of the cloud', 'additionalResourceTags', 'acs:a=b', /: the prefixes acs: and aliyun are reserved$/],
  [
    'several tags of the cloud, in the same error',
    'additionalResourceTags',
    'acs:a=1,aliyun=2',
    /^rename "acs:a=1", "aliyun=2": the prefixes acs: and aliyun are reserved$/,
  ],
  [
    'errors of more kinds than a message contains',
    'protocolPort',
    'a, b,80,HTTP:90',
    /^correct "a"; remove the spaces around "b"; add the protocol, as in http:80; and 1 more$/,
  ],
  ['a tag with a link', 'additionalResourceTags', 'a=http://b', /^correct "a=http:\/\/b"/],
  ['a tag key that is too long', 'additionalResourceTags', `${'k'.repeat(65)}=v`, /^correct/],
  ['21 tags', 'additionalResourceTags', Array.from({ length: 21 }, (_, at) => `k${at}=v`).join(), /^$/],
  ['201 entries', 'protocolPort', Array.from({ length: 201 }, () => 'tcp:80').join(), /^use at most 200 entries$/],
];

/** The values that are read with an error. */
const advised: readonly (readonly [title: string, option: OptionName, text: string, value: unknown, remedy: RegExp])[] =
  [
    ['no instead of off', 'proxyProtocol', 'no', 'off', /^use off$/],
    ['false instead of off', 'removeUnscheduledBackend', 'false', 'off', /^use off$/],
    ['false instead of off, in any case', 'ignoreWeightUpdate', 'False', 'off', /^use off$/],
    ['false in another case', 'forceOverrideListeners', 'False', false, /^use lower case: false$/],
    ['off instead of false', 'forceOverrideListeners', 'off', false, /^use false$/],
    ['a backend type in another case', 'backendType', 'ECS', 'ecs', /^use lower case: ecs$/],
    ['an unknown specification', 'spec', 'slb.s9.gigantic', 'slb.s9.gigantic', /^known values are /],
    ['a misspelled specification', 'spec', 'slb.s2.smal', 'slb.s2.smal', /^did you mean slb\.s2\.small\?$/],
    ['an unknown specification with a size that exists', 'spec', 'slb.s9.small', 'slb.s9.small', /^known values are /],
    [
      'a TLS policy of another version, without a weaker policy as advice',
      'tlsCipherPolicy',
      'tls_cipher_policy_1_3',
      'tls_cipher_policy_1_3',
      /^known values are /,
    ],
    ['a comma at the end', 'protocolPort', 'tcp:80,', [{ protocol: 'tcp', port: 80 }], /^remove the trailing comma$/],
    ['a comma after a redirect', 'forwardPort', '80:443,', [{ from: 80, to: 443 }], /^remove the trailing comma$/],
    ['several access lists', 'aclId', 'acl-a,acl-b', ['acl-a', 'acl-b'], /^$/],
    [
      'a second equals sign in a tag',
      'additionalResourceTags',
      'a=b=c',
      { a: 'b' },
      /^use one equals sign in "a=b=c": the text after the second is ignored$/,
    ],
    ['an extra comma among tags', 'additionalResourceTags', 'a=b,', { a: 'b' }, /^remove the entry without a key$/],
    ['a tag without a key', 'additionalResourceTags', 'a=b, =c', { a: 'b' }, /^remove the entry without a key$/],
    ['a list without tags', 'additionalResourceTags', ' , ', {}, /^add a key$/],
    [
      'a repeated tag',
      'additionalResourceTags',
      'a=b,a=c',
      { a: 'c' },
      /^use the key "a" once: only the last value has an effect$/,
    ],
  ];

/** The Alibaba Cloud Controller Manager reads the same values. A different reading would change load balancers at a migration. */
describe('the value of an annotation', () => {
  for (const [title, option, text, value, remedy] of advised) {
    it(`can be ${title}, with a warning`, () => {
      const { ok, error, ...rest } = read(option, text);
      assert.equal(ok, true);
      assert.deepEqual(rest, { value });
      assert.match(error?.remedy ?? '', remedy);
    });
  }

  for (const [title, option, text, value] of accepted) {
    it(`can be ${title}`, () => assert.deepEqual(read(option, text), { ok: true, value }));
  }

  for (const [title, option, text, remedy] of denied) {
    it(`cannot be ${title}, and the error has the remedy, if there is any`, () => {
      const result = read(option, text);
      assert.equal(result.ok, false);
      assert.match(result.error.remedy ?? '', remedy);
      assert.notEqual(result.error.detail, '');
    });
  }

  for (const text of ['false', 'off', 'No', ' 0 ']) {
    it(`can be "${text}" for preserve-lb-on-delete, which preserves the load balancer, with a warning`, () => {
      const { ok, error } = read('preserveLbOnDelete', text);
      assert.equal(ok, true);
      assert.match(error?.remedy ?? '', /^remove the (annotation|spaces)/);
    });
  }

  it('can be labels with the names of object methods', () => {
    const result = read('backendLabel', 'constructor=a,toString=b');
    assert.deepEqual(result, { ok: true, value: { constructor: 'a', toString: 'b' } });
  });

  it('is truncated in an error, on a single line', () => {
    const remedy = read('protocolPort', `tcp\n${'x'.repeat(500)}:1`).error?.remedy ?? '';
    assert.ok(remedy.length < 200 && !remedy.includes('\n'), remedy);
  });

  it('is never truncated inside a surrogate pair', () => {
    const remedy = read('protocolPort', `x${'😀'.repeat(100)}:1`).error?.remedy ?? '';
    assert.ok(remedy.includes(`"x${'😀'.repeat(59)}…"`), remedy);
  });
});

describe('every whole number', () => {
  for (const [option, { value }] of ENTRIES) {
    if (value.kind !== 'integer') continue;
    it(`of ${option} is valid exactly from ${value.min} to ${value.max}`, () => {
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
    it(`of ${option} is exactly ${value.values.join(', ')}`, () => {
      for (const word of value.values) assert.deepEqual(read(option, word), { ok: true, value: word });
      assert.equal(isRead(option, 'something-else'), false);
      assert.equal(isRead(option, (value.values[0] ?? '').toUpperCase()), value.anyCase === true);
    });
  }
});

describe('every text with a maximum length', () => {
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
