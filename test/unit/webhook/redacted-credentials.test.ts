import assert from 'node:assert/strict';
import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { resultOf } from '../../../webhook/admission/response.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

const CREDENTIALS = ['LTAI5tAbCdEfGhIjKlMn12', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1'];
/** Positions of a credential in the value of an annotation. */
const SHAPES: Readonly<Record<string, (credential: string) => string>> = {
  alone: (credential) => credential,
  'among spaces': (credential) => ` ${credential} `,
  'before a port': (credential) => `${credential}:80`,
  'after a protocol': (credential) => `http:${credential}`,
  'twice in a list': (credential) => `${credential},${credential}`,
  'twice as a key': (credential) => `${credential}=a,${credential}=b`,
  'among equals signs': (credential) => `a=${credential}=b`,
  'as a domain': (credential) => `${credential}:cert-1,${credential}:cert-1`,
  'across the position where a long text is truncated': (credential) => `${'x '.repeat(25)}${credential}`,
};

function messagesFor(annotations: Readonly<Record<string, string>>): string {
  const request = readReview(aReview({ object: aService({ annotations }) }));
  const context = { facts: aFacts(), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
  return JSON.stringify(resultOf(request, validate(request, context)).answer);
}

/** Users paste credentials into annotations by mistake, and messages about annotations end up in logs and terminals. */
describe('a message about a Service contains no credential of its annotations', () => {
  for (const [title, shaped] of Object.entries(SHAPES)) {
    it(title, () => {
      for (const [option, { key }] of ENTRIES) {
        for (const credential of CREDENTIALS) {
          const messages = messagesFor({ [key]: shaped(credential) });
          // A few characters do not reveal the credential.
          assert.ok(!messages.includes(credential.slice(0, 10)), `${option}: ${messages}`);
        }
      }
    });
  }
});
