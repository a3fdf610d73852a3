import assert from 'node:assert/strict';
import { CATALOGUE, ENTRIES } from '../../../src/annotation/catalogue.ts';
import { isKnownKey } from '../../../src/annotation/deprecated-key-index.ts';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { OTHERS_ANNOTATIONS } from '../../support/foreign-annotations.ts';

const GROUP = 'service.beta.kubernetes.io/';
const KEY = `${GROUP}alibaba-cloud-loadbalancer-`;
const ADDRESS_TYPE = CATALOGUE.addressType.key;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
/** Changes the part of a key after the domain. */
const inName =
  (change: (name: string) => string) =>
  (key: string): string =>
    `${GROUP}${change(key.slice(GROUP.length))}`;
const pascal = (name: string): string => name.split('-').map(capital).join('');

/** Mistaken spellings of a key. */
const SPELLINGS: Readonly<Record<string, (key: string) => string>> = {
  'in capitals': (key) => key.toUpperCase(),
  'with a domain in capitals': (key) => key.replace(GROUP, GROUP.toUpperCase()),
  'with capital words': inName((name) => name.split('-').map(capital).join('-')),
  'with one capital': inName(capital),
  'with underscores': inName((name) => name.replaceAll('-', '_')),
  'with dots': inName((name) => name.replaceAll('-', '.')),
  'with capitals and underscores': inName((name) => name.replaceAll('-', '_').toUpperCase()),
  'in camel case': inName((name) => name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())),
  'in Pascal case': inName(pascal),
  'without separators': inName((name) => name.replaceAll('-', '').toLowerCase()),
  'with two dashes': inName((name) => name.replace('-', '--')),
  'with a dash at the end': inName((name) => `${name}-`),
  'in another form of the domain': (key) => key.replace(GROUP, 'service-beta-kubernetes-io/'),
  'in a similar domain': (key) => key.replace(GROUP, 'service.kubernetes.io/'),
  'in the domain of our labels': (key) => key.replace(GROUP, 'service.alibabacloud.com/'),
  'with a dot after the domain': (key) => key.replace(GROUP, 'service.beta.kubernetes.io.'),
};

/** Returns the suggested key for a key, `none` without a suggestion, or undefined if the key is ignored. */
function foundOf(key: string): string | undefined {
  const [unknown] = parseAnnotations({ [key]: 'on' }).unknown;
  return unknown === undefined ? undefined : (unknown.nearest ?? 'none');
}

/** A misspelled key has no effect in the Alibaba Cloud Controller Manager, without a message. Users need the right key. */
describe('a misspelled key of ours', () => {
  for (const [title, change] of Object.entries(SPELLINGS)) {
    it(`${title} is recognized for every key`, () => {
      for (const [, { key: current, deprecated }] of ENTRIES) {
        for (const key of [current, ...deprecated]) {
          const changed = change(key);
          if (isKnownKey(changed)) continue;
          assert.equal(foundOf(changed), current, changed);
        }
      }
    });
  }

  const rows: Readonly<Record<string, string>> = {
    [`${GROUP}alibabaCloudLoadBalancerAddressType`]: ADDRESS_TYPE,
    [`${GROUP}backend_type`]: CATALOGUE.backendType.key,
    [`${GROUP}Backend-Type`]: CATALOGUE.backendType.key,
    [`${GROUP}BackendType`]: CATALOGUE.backendType.key,
    [`${GROUP}Class`]: CATALOGUE.class.key,
    [`${GROUP}Alibaba-Cloud-Backend-Type`]: CATALOGUE.backendType.key,
    [`${GROUP}Alibaba-Cloud-adress-type`]: ADDRESS_TYPE,
    [`${GROUP}alibaba-cloud-loadbalancer-SLBNetworkType`]: CATALOGUE.networkType.key,
    [`${GROUP}address-type`]: ADDRESS_TYPE,
    [`${GROUP}loadbalancer-address-type`]: ADDRESS_TYPE,
    [`${GROUP}load-balancer-address-type`]: ADDRESS_TYPE,
    [`${GROUP}aliyun-loadbalancer-address-type`]: ADDRESS_TYPE,
    [`${GROUP}aliyun-address-type`]: ADDRESS_TYPE,
    [`${GROUP}alibabacloud-load-balancer-address-type`]: ADDRESS_TYPE,
    [`${GROUP}alibaba-loadbalancer-address-type`]: ADDRESS_TYPE,
    [`${GROUP}ALICLOUD_LOADBALANCER_ADRESS_TYPE`]: ADDRESS_TYPE,
    'Service.Beta.Kubernetes.IO/loadbalancer-address-type': ADDRESS_TYPE,
    'service.kubernetes.io/alibaba-cloud-loadbalancer-adress-type': ADDRESS_TYPE,
    'service.kubernetes.io/backend-type': CATALOGUE.backendType.key,
    'alibabacloud.com/alibaba-cloud-loadbalancer-address-type': ADDRESS_TYPE,
    'alibaba-cloud-loadbalancer-address-type': ADDRESS_TYPE,
    'alicloud-loadbalancer-adress-type': ADDRESS_TYPE,
    AlibabaCloudLoadBalancerAddressType: ADDRESS_TYPE,
    'loadbalancer-address-type': ADDRESS_TYPE,
    LoadBalancer_Address_Type: ADDRESS_TYPE,
    [`${GROUP}alibaba-cloud-load-balancer-acl-status`]: `${KEY}acl-status`,
    [`${GROUP}Alibaba-Cloud-LoadBalancer-Security-Group-Id`]: 'none',
    [`${GROUP}loadbalancer-source-ranges`]: 'none',
  };
  for (const [key, expected] of Object.entries(rows)) {
    it(`${key} ${expected === 'none' ? 'gets no suggestion' : `gets the suggestion ${expected}`}`, () => {
      assert.equal(foundOf(key), expected);
    });
  }

  it('is ignored if the controller of private zones reads it', () => {
    for (const name of ['alibaba-cloud-private-zone-enable', 'Alibaba-Cloud-Private-Zone-Enable']) {
      assert.equal(foundOf(`${GROUP}${name}`), undefined);
    }
  });
});

describe('an annotation of another controller', () => {
  for (const [controller, keys] of Object.entries(OTHERS_ANNOTATIONS)) {
    it(`is ignored: ${controller}`, () => {
      const annotations = Object.fromEntries(keys.map((key) => [key, 'on']));
      const { unknown, deprecated, nlbOnly, issues } = parseAnnotations(annotations);
      assert.deepEqual(
        { unknown, deprecated, nlbOnly, issues },
        { unknown: [], deprecated: [], nlbOnly: [], issues: [] },
      );
    });
  }

  const rows = [
    'example.com/loadbalancer-id',
    'example.com/alibaba-cloud-id',
    'example.com/address-type',
    'loadbalancer-of-the-shop',
    'address-type',
    'class',
    'alias',
    'service.beta.kubernetes.io/alias',
    'service.kubernetes.io/load-balancer-pool',
  ];
  for (const key of rows) it(`is ignored: ${key}`, () => assert.equal(foundOf(key), undefined));
});
