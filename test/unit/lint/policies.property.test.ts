import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createWorld } from '../../../src/lint/policy/world.ts';
import { rulesFor, verdictOn } from '../../../src/lint/verdict.ts';
import { anyExceptions, anyPolicies } from '../../support/any-policy.ts';
import { anyFacts, anyService } from '../../support/any-service.ts';
import { aFacts } from '../../support/facts.ts';
import { aBook, judgedWith, told } from '../../support/policy-book.ts';

const NOW = '2026-11-01T00:00:00Z';

describe('lint and the webhook, of any policies', () => {
  it('say the same of any Service, new or changed', () => {
    const everything = fc.record({
      policies: anyPolicies,
      exceptions: anyExceptions,
      service: anyService,
      before: fc.option(anyService, { nil: undefined }),
      facts: anyFacts,
    });
    fc.assert(
      fc.property(everything, ({ policies, exceptions, service, before, facts }) => {
        const { name, namespace } = service.metadata;
        const stored = before && { ...before, metadata: { ...before.metadata, name, namespace } };
        const world = createWorld({
          policies,
          exceptions,
          namespaces: new Map([['shop', { team: 'shop', 'kubernetes.io/metadata.name': 'shop' }]]),
          services: [],
          clock: { now: () => Date.parse(NOW) },
        });
        const bench = { facts: aFacts(facts), rules: rulesFor(true, true), world };
        const book = aBook({ policies, exceptions, now: NOW });
        const request = { object: service, ...(stored === undefined ? {} : { oldObject: stored }) };
        assert.deepEqual(told(verdictOn(service, stored, bench).outcome), told(judgedWith(book, request, facts)));
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});
