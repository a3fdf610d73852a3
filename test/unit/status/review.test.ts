import assert from 'node:assert/strict';
import { PortcullisError, type Reason } from '../../../src/base/errors.ts';
import { admittedResult, failedResult, reviewedService } from '../../../src/status/review.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { nlbAnnotation } from '../../../src/rules/nlb-annotation.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';

const failure = (reason: Reason, message: string) => new PortcullisError(reason, message);

/** The status proves with a trial Service that the API server calls the webhook. */
describe('the review of a trial Service', () => {
  it('is answered by the warning of the webhook, which no policy turns off', () => {
    assert.equal(admittedResult(['x: has no effect [nlb-annotation]']).kind, 'answered');
    assert.equal(admittedResult(['a warning of another webhook']).kind, 'unanswered');
    assert.equal(nlbAnnotation.warnsOnly, true);
  });

  it('sends a Service that gets the warning', () => {
    const subject = serviceSubject(reviewedService('default') as unknown as Service);
    assert.equal(subject.parsed.nlbOnly.length, 1);
  });

  const rows = {
    'a denial of the webhook is an answer': [
      failure('Rejected', 'POST x: admission webhook "validate-service.portcullis.io" denied the request: y'),
      'answered',
    ],
    'a webhook that fails closed is no answer': [
      failure('Unavailable', 'failed calling webhook "validate-service.portcullis.io": context deadline exceeded'),
      'unanswered',
    ],
    'a denial of another webhook decides nothing': [
      failure('Forbidden', 'admission webhook "x.example.com" denied the request'),
      'undecided',
    ],
    'a denial of an admission policy decides nothing': [
      failure('Rejected', "ValidatingAdmissionPolicy 'x' with binding 'y' denied request: z"),
      'undecided',
    ],
  } as const;
  for (const [title, [error, kind]] of Object.entries(rows))
    it(title, () => assert.equal(failedResult(error).kind, kind));

  it('fails without the right to send the Service', () => {
    const error = failure('Forbidden', 'services is forbidden: User "x" cannot create resource "services"');
    assert.throws(() => failedResult(error), error);
  });
});
