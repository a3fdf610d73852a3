import assert from 'node:assert/strict';
import {
  keyOwnershipOf,
  isDeclared,
  managedFieldsEntries,
  unownedKeys,
} from '../../../src/annotation/field-managers.ts';
import { isApply } from '../../../webhook/mutate/request-field-manager.ts';

const PREFIX = 'service.beta.kubernetes.io/';
const NEW = `${PREFIX}alibaba-cloud-loadbalancer-acl-status`;
const OLD = `${PREFIX}alicloud-loadbalancer-acl-status`;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const fields = (...keys: string[]): object => ({
  'f:metadata': { 'f:annotations': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) },
});
const entry = (manager: string, operation: string, ...keys: string[]): object => ({
  manager,
  operation,
  time: '2026-01-01T00:00:00Z',
  fieldsV1: fields(...keys),
});
const object = (managedFields: unknown, annotations: Readonly<Record<string, string>> = {}) => ({
  metadata: { annotations, managedFields },
});
const withLastApplied = (text: string) => ({ [LAST_APPLIED]: text });

/** The webhook must know which annotations a manifest declares, because it would otherwise restore annotations that a user removed. */
describe('declared annotations', () => {
  const declared: Readonly<Record<string, readonly [ReturnType<typeof object>, boolean]>> = {
    'in the last-applied annotation': [
      object([], withLastApplied(JSON.stringify({ metadata: { annotations: { [NEW]: 'on' } } }))),
      true,
    ],
    'owned by an apply': [object([entry('flux', 'Apply', NEW)]), true],
    'owned by an update only': [object([entry('helm', 'Update', NEW)]), false],
    'that no field manager owns': [object([entry('flux', 'Apply', OLD)]), false],
  };
  for (const [where, [carrier, isExpected]] of Object.entries(declared)) {
    it(`${isExpected ? 'include' : 'exclude'} annotations ${where}`, () => {
      assert.equal(isDeclared(keyOwnershipOf(carrier), NEW), isExpected);
    });
  }

  const odd: Readonly<Record<string, unknown>> = {
    'managedFields that is not a list': { 0: 'x' },
    'an entry that is null': [null],
    'an entry that is a string': ['flux'],
    'an entry without fields': [{ manager: 'flux', operation: 'Apply' }],
    'an entry without an operation': [{ manager: 'flux', fieldsV1: fields(NEW) }],
    'a fieldsV1 that is null': [{ manager: 'flux', operation: 'Apply', fieldsV1: null }],
    'a fieldsV1 that is a string': [{ manager: 'flux', operation: 'Apply', fieldsV1: 'x' }],
    'an f:metadata that is a list': [{ manager: 'flux', operation: 'Apply', fieldsV1: { 'f:metadata': [] } }],
    'an f:annotations that is a number': [
      { manager: 'flux', operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:annotations': 1 } } },
    ],
    'names and times of other types': [{ manager: 1, operation: null, time: null, subresource: {}, fieldsV1: {} }],
  };
  for (const [what, managedFields] of Object.entries(odd)) {
    it(`are empty for ${what}`, () => {
      const { applied, updated } = keyOwnershipOf(object(managedFields));
      assert.deepEqual([[...applied], [...updated]], [[], []]);
      assert.equal(isApply(object(managedFields), 'other'), false);
      assert.deepEqual(unownedKeys(object(managedFields, { [NEW]: 'on' })), []);
    });
  }

  it('are read from valid entries next to a malformed entry, and the result is incomplete', () => {
    const { applied, isComplete } = keyOwnershipOf(object([null, entry('flux', 'Apply', NEW)]));
    assert.deepEqual([[...applied], isComplete], [[NEW], false]);
    assert.equal(managedFieldsEntries(object([null, entry('flux', 'Apply', NEW)]))[1]?.manager, 'flux');
  });

  for (const text of ['{broken', '[]', '7', '{"metadata":1}', '{"metadata":{"annotations":"x"}}']) {
    it(`are empty for the last-applied annotation ${text}, and the result is incomplete`, () => {
      const { lastApplied, isComplete } = keyOwnershipOf(object([], withLastApplied(text)));
      assert.deepEqual([lastApplied, isComplete], [undefined, false]);
    });
  }

  it('are empty for a last-applied annotation without annotations, and the result is complete', () => {
    const { lastApplied, isComplete } = keyOwnershipOf(
      object([], withLastApplied('{"metadata":{"annotations":null}}')),
    );
    assert.deepEqual([lastApplied, isComplete], [new Set(), true]);
  });

  it('count as updated if their writer has an apply and an update with a malformed time', () => {
    const update = { ...entry('tool', 'Update'), time: null };
    assert.equal(isApply(object([entry('tool', 'Apply', NEW), update]), 'tool'), false);
    assert.equal(isApply(object([{ ...entry('tool', 'Apply', NEW), time: null }]), 'tool'), true);
  });
});

describe('annotations that no client owns', () => {
  const OTHER = entry('helm', 'Update', 'other');
  const cases: Readonly<Record<string, readonly [ReturnType<typeof object>, readonly string[]]>> = {
    'include a copy of a removed old key': [object([OTHER], { [NEW]: 'on', other: 'x' }), [NEW]],
    'exclude a key whose old key is present': [object([OTHER], { [NEW]: 'on', [OLD]: 'on' }), []],
    'exclude a key that managedFields assign to a client': [
      object([entry('helm', 'Update', NEW)], { [NEW]: 'on' }),
      [],
    ],
    'exclude a key whose old key managedFields assign to a client': [
      object([entry('helm', 'Update', OLD)], { [NEW]: 'on' }),
      [],
    ],
    'exclude a key whose old key is in the last-applied annotation': [
      object([OTHER], {
        [NEW]: 'on',
        ...withLastApplied(JSON.stringify({ metadata: { annotations: { [OLD]: '' } } })),
      }),
      [],
    ],
    'are none without managedFields': [object(undefined, { [NEW]: 'on' }), []],
    'are none with an empty managedFields': [object([], { [NEW]: 'on' }), []],
  };
  for (const [title, [carrier, keys]] of Object.entries(cases)) {
    it(title, () => assert.deepEqual(unownedKeys(carrier), keys));
  }
});
