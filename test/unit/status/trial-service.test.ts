import assert from 'node:assert/strict';
import { PortcullisError, type Reason } from '../../../src/base/errors.ts';
import { admittedResult, failedResult, trialService } from '../../../src/status/trial-service.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { nlbAnnotation } from '../../../src/rules/nlb-annotation.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';

const failure = (reason: Reason, message: string) => new PortcullisError(reason, message);

/** The status proves with a trial Service that the API server calls the webhook. */
describe('the review of a trial Service', () => {
  it('proves the webhook by a warning that no policy turns off', () => {
    assert.equal(admittedResult(['x: has no effect [nlb-annotation]']).kind, 'answered');
    assert.equal(admittedResult(['a warning of another webhook']).kind, 'unanswered');
    assert.equal(nlbAnnotation.warnsOnly, true);
  });

  it('sends a Service to which the webhook responds with the warning nlb-annotation', () => {
    const subject = serviceSubject(trialService('default') as unknown as Service);
    assert.equal(subject.parsed.nlbOnly.length, 1);
  });

  const rows = {
    'proves the webhook by a denial of the webhook': [
      failure('Rejected', 'POST x: admission webhook "validate-service.portcullis.io" denied the request: y'),
      'answered',
    ],
    'proves no webhook if the API server cannot call the webhook': [
      failure('Unavailable', 'failed calling webhook "validate-service.portcullis.io": context deadline exceeded'),
      'unanswered',
    ],
    'is undecided after a denial of another webhook': [
      failure('Forbidden', 'admission webhook "x.example.com" denied the request'),
      'undecided',
    ],
    'is undecided after a denial of an admission policy': [
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
