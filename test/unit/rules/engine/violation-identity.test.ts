import assert from 'node:assert/strict';
import { CATALOGUE } from '../../../../src/annotation/catalogue.ts';
import { deprecatedFormsOf } from '../../../../src/annotation/deprecated-key-index.ts';
import { identitiesOf } from '../../../../src/rules/engine/violation-identity.ts';
import { serviceSubject } from '../../../../src/rules/engine/subject.ts';
import { aService } from '../../../support/service.ts';

interface ViolationParts {
  readonly rule?: string;
  readonly field?: string;
  readonly value?: string;
  readonly effective?: string;
  readonly remedy?: string;
  readonly on?: string;
  readonly ports?: readonly number[];
}

const CURRENT = CATALOGUE.bandwidth.key;
const [DEPRECATED = ''] = deprecatedFormsOf(CURRENT);

function identities({
  rule = 'r',
  field = 'f',
  value = '1',
  remedy = 'x',
  ports = [80],
  ...more
}: ViolationParts): readonly string[] {
  const traits = { name: rule, tier: 'hygiene', tunable: true } as const;
  return identitiesOf(
    { rule: traits, violation: { field, reason: 'Invalid', value, detail: 'a', remedy, ...more } },
    serviceSubject(aService({ ports })),
  );
}

/** Ratcheting compares violations before and after an update, so a wrong identity would deny an old violation. */
describe('two violations', () => {
  const rows: Record<string, { one: ViolationParts; other: ViolationParts; same: boolean }> = {
    'are the same with any remedies': { one: {}, other: { remedy: 'y' }, same: true },
    'of two rules are not the same': { one: {}, other: { rule: 's' }, same: false },
    'in two fields are not the same': { one: {}, other: { field: 'g' }, same: false },
    'of two values are not the same': { one: {}, other: { value: '2' }, same: false },
    'of the same effective value, explicit or not, are the same': {
      one: { value: '', effective: '2' },
      other: { value: '2' },
      same: true,
    },
    'of two effective values, both implicit, are not the same': {
      one: { value: '', effective: '1' },
      other: { value: '', effective: '2' },
      same: false,
    },
    'on the same load balancer are the same': { one: { on: 'lb-1' }, other: { on: 'lb-1' }, same: true },
    'on two load balancers are not the same': { one: { on: 'lb-1' }, other: { on: 'lb-2' }, same: false },
    'are the same with a current and a deprecated key': {
      one: { field: `metadata.annotations[${CURRENT}]` },
      other: { field: `metadata.annotations[${DEPRECATED}]` },
      same: true,
    },
    'in a moved port are the same': {
      one: { field: 'spec.ports[0].targetPort', ports: [80] },
      other: { field: 'spec.ports[1].targetPort', ports: [81, 80] },
      same: true,
    },
    'in two fields of a moved port are not the same': {
      one: { field: 'spec.ports[0].targetPort', ports: [80] },
      other: { field: 'spec.ports[1].protocol', ports: [81, 80] },
      same: false,
    },
    'in two ports are not the same': {
      one: { field: 'spec.ports[0].targetPort', ports: [80, 81] },
      other: { field: 'spec.ports[1].targetPort', ports: [80, 81] },
      same: false,
    },
  };
  for (const [title, { one, other, same }] of Object.entries(rows)) {
    it(title, () => {
      const known = new Set(identities(one));
      assert.equal(
        identities(other).some((identity) => known.has(identity)),
        same,
      );
    });
  }
});
