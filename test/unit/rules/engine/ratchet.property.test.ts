import assert from 'node:assert/strict';
import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import { CATALOGUE } from '../../../../src/annotation/catalogue.ts';
import { deprecatedFormsOf } from '../../../../src/annotation/deprecated-key-index.ts';
import type { Service, ServicePort } from '../../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../../src/policy/policy-decisions.ts';
import { mutate, type DeprecatedKeys } from '../../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import type { RuleResults } from '../../../../src/rules/engine/rule-results.ts';
import { ALL_RULES, validate } from '../../../../webhook/admission/validate.ts';
import { anyFacts, anyService } from '../../../support/any-service.ts';
import { aFacts, type FactsInput } from '../../../support/facts.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

const RUNS = { numRuns: 400, seed: 1 };

interface Update {
  readonly stored: Service;
  readonly wanted: Service;
  readonly facts?: FactsInput;
  readonly deprecatedKeys?: DeprecatedKeys;
}

/** Returns the results for an update after both webhooks, as in the API server. */
function evaluated({ stored, wanted, facts = {}, deprecatedKeys = 'auto' }: Update): RuleResults {
  const input = { oldObject: stored, fieldManager: 'kubectl-annotate' };
  const { patch = [] } = mutate(readReview(aReview({ ...input, object: wanted })), deprecatedKeys);
  const object = fastJsonPatch.applyPatch(structuredClone(wanted), structuredClone([...patch])).newDocument;
  const request = readReview(aReview({ ...input, object }));
  return validate(request, { facts: aFacts(facts), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false });
}

const withMetadata = (service: Service, metadata: Partial<Service['metadata']>): Service => ({
  ...service,
  metadata: { ...service.metadata, ...metadata },
});

/** Changes that are allowed for any stored Service. */
const HARMLESS: Readonly<Record<string, (service: Service) => Service>> = {
  'its status changes': (service) => ({ ...service, status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } } }),
  'its finalizers are removed': (service) => withMetadata(service, { finalizers: [] }),
  'its labels change': (service) => withMetadata(service, { labels: { app: 'other' } }),
  'its unrelated annotations change': (service) =>
    withMetadata(service, { annotations: { ...service.metadata.annotations, 'example.com/owner': 'someone' } }),
  'its deletion timestamp is set': (service) =>
    withMetadata(service, { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 0 }),
  'another user writes it': (service) =>
    withMetadata(service, { managedFields: [{ manager: 'other', operation: 'Update' }], generation: 2 }),
};
const anyHarmlessEdits = fc.subarray(Object.keys(HARMLESS), { minLength: 1 });
const anyHandling = fc.constantFrom<DeprecatedKeys>('auto', 'keep', 'replace');

/** A stored Service with violations must stay editable, or an upgrade of the rules would block deployments. */
describe('a stored Service with any set of violations', () => {
  for (const [title, edit] of Object.entries(HARMLESS)) {
    it(`is not denied if ${title}`, () => {
      fc.assert(
        fc.property(anyService, anyFacts, anyHandling, (stored, facts, deprecatedKeys) => {
          const { denials, unevaluated } = evaluated({ stored, wanted: edit(stored), facts, deprecatedKeys });
          assert.deepEqual([denials, unevaluated], [[], []]);
        }),
        RUNS,
      );
    });
  }

  it('is not denied for several of these changes in one request', () => {
    fc.assert(
      fc.property(anyService, anyFacts, anyHandling, anyHarmlessEdits, (stored, facts, deprecatedKeys, edits) => {
        const wanted = edits.reduce((service, edit) => HARMLESS[edit]?.(service) ?? service, stored);
        assert.deepEqual(evaluated({ stored, wanted, facts, deprecatedKeys }).denials, []);
      }),
      RUNS,
    );
  });

  it('can always be deleted', () => {
    fc.assert(
      fc.property(anyService, anyFacts, (oldObject, facts) => {
        const request = readReview(aReview({ operation: 'DELETE', oldObject, object: null }));
        const context = { facts: aFacts(facts), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
        assert.deepEqual(validate(request, context).denials, []);
      }),
      RUNS,
    );
  });

  /** The annotations that are invalid in any Service. */
  const WRONG = [CATALOGUE.addressType, CATALOGUE.bandwidth, CATALOGUE.backendType, CATALOGUE.deleteProtection].map(
    ({ key }) => key,
  );
  it('is denied for a new violation, and for a violation with a changed value', () => {
    fc.assert(
      fc.property(anyService, anyFacts, fc.constantFrom(...WRONG), (stored, facts, key) => {
        const annotations: Record<string, string> = { ...stored.metadata.annotations, [key]: 'surely wrong' };
        for (const form of deprecatedFormsOf(key)) Reflect.deleteProperty(annotations, form);
        const wanted = withMetadata(stored, { annotations });
        const fields = evaluated({ stored, wanted, facts }).denials.map(({ violation }) => violation.field);
        assert.ok(fields.includes(`metadata.annotations[${key}]`), fields.join());
      }),
      RUNS,
    );
  });

  it('is denied when it becomes a load balancer if a new Service would be denied', () => {
    fc.assert(
      fc.property(anyService, anyFacts, (service, facts) => {
        const inside = { ...service, spec: { ...service.spec, type: 'ClusterIP' } };
        const fresh = validate(readReview(aReview({ object: service })), {
          facts: aFacts(facts),
          policy: ENFORCE_ALL,
          rules: ALL_RULES,
          expired: () => false,
        });
        const { denials } = evaluated({ stored: inside, wanted: service, facts, deprecatedKeys: 'keep' });
        assert.ok(denials.length >= Math.min(fresh.denials.length, 1));
      }),
      RUNS,
    );
  });
});

describe('a violation in a port of a stored Service', () => {
  const FAULTY = { name: 'web', port: 80, targetPort: '8080' };
  const GOOD = { name: 'api', port: 81, targetPort: 8081 };
  const withPorts = (...ports: ServicePort[]): Service => aService({ ports });
  const rows: Record<string, { stored: Service; wanted: Service; found: readonly [denied: number, warned: number] }> = {
    'is the same if a port is inserted before it': {
      stored: withPorts(FAULTY),
      wanted: withPorts(GOOD, FAULTY),
      found: [0, 1],
    },
    'is the same if a port before it is removed': {
      stored: withPorts(GOOD, FAULTY),
      wanted: withPorts(FAULTY),
      found: [0, 1],
    },
    'is the same if the port gets another number': {
      stored: withPorts(FAULTY),
      wanted: withPorts({ ...FAULTY, port: 82 }),
      found: [0, 1],
    },
    'is new if its value changes': {
      stored: withPorts(FAULTY),
      wanted: withPorts({ ...FAULTY, targetPort: '8090' }),
      found: [1, 0],
    },
    'is new in a new port': {
      stored: withPorts(FAULTY),
      wanted: withPorts(FAULTY, { ...GOOD, targetPort: '8081' }),
      found: [1, 1],
    },
    'is new in a port with the same number and another protocol': {
      stored: withPorts(FAULTY),
      wanted: withPorts(FAULTY, { ...FAULTY, name: 'udp', protocol: 'UDP' }),
      found: [1, 1],
    },
  };
  for (const [title, { stored, wanted, found }] of Object.entries(rows)) {
    it(title, () => {
      const { denials, warnings } = evaluated({ stored, wanted });
      assert.deepEqual([denials.length, warnings.length], found);
    });
  }
});

describe('a violation of a stored Service with a deprecated key', () => {
  const [old = ''] = deprecatedFormsOf(CATALOGUE.bandwidth.key);
  for (const deprecatedKeys of ['keep', 'replace'] as const) {
    it(`is the same violation if the key is rewritten (${deprecatedKeys})`, () => {
      const stored = aService({ annotations: { [old]: '9000' } });
      const wanted = aService({ annotations: { [old]: '9000', 'example.com/team': 'shop' } });
      const { denials, warnings } = evaluated({ stored, wanted, deprecatedKeys });
      assert.deepEqual([denials.length, warnings.length], [0, 1]);
    });
  }
});
