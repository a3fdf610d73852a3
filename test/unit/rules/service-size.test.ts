import assert from 'node:assert/strict';
import { trimService } from '../../../src/kubernetes/trim-service.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { outcomeOfService } from '../../../src/rules/engine/evaluate-change.ts';
import { serviceSize } from '../../../src/rules/service-size.ts';
import { aFacts } from '../../support/facts.ts';
import { annotation } from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const numbered = (count: number, value: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`label-${at}`, value]));
const portsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);
const OWN = { 'service.beta.kubernetes.io/hash': 'd', 'service.k8s.alibaba/loadbalancer-id': 'lb-1' };
const long = (letter: string): string => letter.repeat(5_500);
const deprecated = (name: string): string => annotation(name).replace('alibaba-cloud', 'alicloud');
const DEPRECATED = { [deprecated('name')]: long('a'), [deprecated('vswitch-id')]: long('b') };
const CURRENT = { [annotation('name')]: long('a'), [annotation('vswitch-id')]: long('b') };

const changed = (object: Service, stored?: Service) =>
  outcomeOfService({ object, stored, operation: 'CREATE', mayDeny: true }, 'shop', [serviceSize], {
    facts: aFacts({}),
    policy: ENFORCE_ALL,
    expired: undefined,
  });
const found = (object: Service): readonly string[] =>
  changed(object).denials.map(({ violation: { field, reason, detail } }) => `${field}: ${reason}: ${detail}`);

const ROWS: Readonly<Record<string, readonly [service: Service, found: readonly string[]]>> = {
  '100 ports': [aService({ ports: portsOf(100) }), []],
  '101 ports': [aService({ ports: portsOf(101) }), ['spec.ports: TooMany: must have at most 100 items']],
  '3,000 ports': [aService({ ports: portsOf(3_000) }), ['spec.ports: TooMany: must have at most 100 items']],
  '64 labels in addition to those of the controller': [aService({ labels: { ...numbered(64, 'a'), ...OWN } }), []],
  '65 labels': [
    aService({ labels: numbered(65, 'a') }),
    ['metadata.labels: TooLong: may not be more than 64 labels of 4096 bytes in total'],
  ],
  '8,000 labels': [
    aService({ labels: { ...numbered(8_000, 'a'), ...OWN } }),
    ['metadata.labels: TooLong: may not be more than 64 labels of 4096 bytes in total'],
  ],
  'a few long labels': [
    aService({ labels: numbered(60, 'x'.repeat(200)) }),
    ['metadata.labels: TooLong: may not be more than 64 labels of 4096 bytes in total'],
  ],
  'two long annotations': [
    aService({ annotations: { [annotation('aa')]: long('a'), [annotation('bb')]: long('b') } }),
    [],
  ],
  'three long annotations': [
    aService({
      annotations: { [annotation('aa')]: long('a'), [annotation('bb')]: long('b'), [annotation('cc')]: long('c') },
    }),
    ['metadata.annotations: TooLong: annotations that Portcullis reads may not be more than 12288 bytes'],
  ],
  'two long deprecated annotations with their current keys': [
    aService({ annotations: { ...DEPRECATED, ...CURRENT } }),
    [],
  ],
  'an annotation longer than any valid value': [
    aService({ annotations: { [annotation('aa')]: 'x'.repeat(255_000) } }),
    [],
  ],
  'a foreign annotation of any length': [aService({ annotations: { 'example.com/notes': 'x'.repeat(255_000) } }), []],
  'a Service with too many ports, labels and annotations': [
    aService({
      ports: portsOf(101),
      labels: numbered(65, 'a'),
      annotations: { [annotation('aa')]: '…'.repeat(8_192) },
    }),
    [
      'spec.ports: TooMany: must have at most 100 items',
      'metadata.labels: TooLong: may not be more than 64 labels of 4096 bytes in total',
      'metadata.annotations: TooLong: annotations that Portcullis reads may not be more than 12288 bytes',
    ],
  ],
};

/** Caches drop parts of a large Service, so the rule denies a Service if the controller would need a dropped part. */
describe('the rule service-size', () => {
  for (const [title, [service, violations]] of Object.entries(ROWS)) {
    const verb = violations.length === 0 ? 'passes' : 'denies';
    it(`${verb} ${title}, for the whole Service and for the cached parts`, () => {
      assert.deepEqual(found(service), violations);
      const kept = trimService(service);
      assert.deepEqual(found(kept), violations);
      assert.deepEqual(trimService(kept), kept);
    });
  }

  it('denies no change of another part of a Service that is already too large', () => {
    const stored = aService({ ports: portsOf(101) });
    const { denials, warnings } = changed(aService({ ports: portsOf(101), annotations: { a: 'b' } }), stored);
    assert.deepEqual([denials.length, warnings.length], [0, 1]);
  });
});
