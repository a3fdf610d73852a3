import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { ExceptionShape } from '../../../src/lint/policy/exception-shape.ts';
import { PolicyShape } from '../../../src/lint/policy/load-balancer-policy-schema.ts';
import { exceptionDefinition, policyDefinition } from '../../support/policy-crds.ts';

const KINDS = [
  ['LoadBalancerPolicy', policyDefinition(), PolicyShape],
  ['LoadBalancerException', exceptionDefinition(), ExceptionShape],
] as const;

/** The only message of a CRD that no object in BAD causes, because the shape limits the length of a name separately. */
const NAME_TOO_LONG = 'the name must have at most 63 characters, because denials contain the name';

/** Returns the messages of all validations of a definition, except those that compare with the stored object. */
function messagesIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(messagesIn);
  if (typeof schema !== 'object' || schema === null) return [];
  const { rule, message } = schema as { readonly rule?: unknown; readonly message?: unknown };
  if (typeof rule === 'string' && typeof message === 'string') return rule.includes('oldSelf') ? [] : [message];
  return Object.values(schema).flatMap(messagesIn);
}

const spec = { annotation: 'spec' };
const EVERYTHING = { present: true };
const requiring = (condition: object): object => ({ constraints: [{ name: 'c', require: [condition] }] });
const quota = (input: object): object => ({ quotas: [{ name: 'c', ...input }] });
const selecting = (expression: object): object => ({
  match: { namespaceSelector: { matchExpressions: [expression] } },
  ...quota({ listeners: 1 }),
});

/** Invalid objects, at least one for each validation. */
const BAD: Readonly<Record<(typeof KINDS)[number][0], readonly object[]>> = {
  LoadBalancerPolicy: [
    {},
    { ...requiring({ ...spec, ...EVERYTHING }), ...quota({ listeners: 1 }) },
    { match: { serviceSelector: { matchLabels: { app: 'web' } } }, ...quota({ listeners: 1 }) },
    quota({}),
    quota({ listeners: 1, mode: 'warn', enforceAfter: '2026-12-01T00:00:00Z' }),
    selecting({ key: 'team', operator: 'Exists', values: ['shop'] }),
    requiring(EVERYTHING),
    requiring(spec),
    requiring({ ...spec, present: false, oneOf: ['a'] }),
    requiring({ annotation: 'bandwidth', min: 2, max: 1 }),
    requiring({ ...spec, min: 2 }),
  ],
  LoadBalancerException: [
    { rule: 'target-prot', object: { name: 'web' } },
    { rule: 'target-port' },
    { rule: 'target-port', selector: { namespaceSelector: {} } },
    { rule: 'target-port', selector: { serviceSelector: { matchLabels: { app: 'web' } } } },
    { rule: 'target-port', selector: { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
  ].map((input) => ({ owner: 'a', reason: 'b', expires: '2027-01-01T00:00:00Z', ...input })),
};

/** Lint checks policies without a cluster, so its shapes must reject the objects that the API server rejects. */
describe('the shape of a policy file', () => {
  for (const [kind, definition, shape] of KINDS) {
    it(`rejects each invalid ${kind} that the API server rejects, with the same messages`, () => {
      const messages = BAD[kind].flatMap((bad) => {
        const object = { apiVersion: 'portcullis.io/v1alpha1', kind, metadata: { name: 'p' }, spec: bad };
        return shape.safeParse(object).error?.issues.map(({ message }) => message) ?? [];
      });
      const wanted = messagesIn(parse(definition));
      assert.deepEqual(
        [...new Set(wanted)].filter((message) => !messages.includes(message) && message !== NAME_TOO_LONG),
        [],
      );
      assert.ok(wanted.length > 0);
    });
  }

  it('rejects a repeated operation, as the API server does', () => {
    const spec = { match: { operations: ['CREATE', 'CREATE'] }, ...quota({ listeners: 1 }) };
    const object = { apiVersion: 'portcullis.io/v1alpha1', metadata: { name: 'p' }, spec };
    const messages = PolicyShape.safeParse(object).error?.issues.map(({ message }) => message);
    assert.deepEqual(messages, ['Duplicate value: "CREATE"']);
  });
});
