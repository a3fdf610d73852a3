import assert from 'node:assert/strict';
import { causesIn, foldedDenial } from '../../../../src/local/demo/folded-denial.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer';
const TWO = `The Service "bad" is invalid:
* metadata.annotations[${KEY}-bandwidth]: Invalid value: "9000": must be a whole number from 1 to 5120 (Mbit/s) [annotation-value]
* spec.ports[2].protocol: Unsupported value: "SCTP": supported values: "TCP", "UDP" [port-protocol]
`;
const ONE = `The Service "bad" is invalid: metadata.annotations[${KEY}-acl-id]: Required value: acl-status is on [acl]\n`;
const POLICY = `Error from server (Forbidden): error when creating "bad.yaml": services "bad" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: metadata.annotations[${KEY}-id]: Forbidden: it serves an API server\n`;
const WEBHOOK = `error: failed to create LoadBalancer service: admission webhook "w" denied the request: Service demo/bad is invalid:
* spec.ports[0].port: Invalid value: 8081: must not be 8081 [policy/x/admin]
`;
const WARNED = `Warning: Service demo/bad: spec.loadBalancerSourceRanges: has no effect\n${TWO}`;

/** The demo prints many denials of kubectl. After the first two, it folds each denial into one line. */
describe('the causes of a denial', () => {
  const causes: Record<string, readonly [text: string, fields: readonly string[]]> = {
    'are the items of a list': [TWO, [`metadata.annotations[${KEY}-bandwidth]`, 'spec.ports[2].protocol']],
    'can be a single cause in the first line': [ONE, [`metadata.annotations[${KEY}-acl-id]`]],
    'are listed by kubectl create too': [WEBHOOK, ['spec.ports[0].port']],
    'do not include warnings': [WARNED, [`metadata.annotations[${KEY}-bandwidth]`, 'spec.ports[2].protocol']],
    'are unknown in another text': ['Error from server (NotFound): not found', []],
  };
  for (const [title, [text, fields]] of Object.entries(causes)) {
    it(title, () =>
      assert.deepEqual(
        causesIn(text).map((cause) => cause.slice(0, cause.indexOf(': '))),
        fields,
      ),
    );
  }
});

describe('a folded denial', () => {
  const lines: Record<string, readonly [text: string, line: string]> = {
    'has the short fields of several causes': [TWO, '  denied, 2 violations: bandwidth, spec.ports[2].protocol'],
    'has the only cause, with its short field': [ONE, '  denied: acl-id: Required value: acl-status is on [acl]'],
    'has the cause of an admission policy': [POLICY, '  denied: id: Forbidden: it serves an API server'],
    'has the cause of a webhook without a status': [
      WEBHOOK,
      '  denied: spec.ports[0].port: Invalid value: 8081: must not be 8081 [policy/x/admin]',
    ],
    'comes after the warnings': [
      WARNED,
      '  Warning: Service demo/bad: spec.loadBalancerSourceRanges: has no effect\n  denied, 2 violations: bandwidth, spec.ports[2].protocol',
    ],
    'has a text without causes on one line': ['no\n  such Service\n', '  denied: no such Service'],
  };
  for (const [title, [text, line]] of Object.entries(lines))
    it(title, () => assert.equal(foldedDenial(text, 120), line));

  it('fits the width', () => {
    const line = foldedDenial(ONE, 30);
    assert.equal(line, '  denied: acl-id: Required va…');
    assert.equal(line.length, 30);
  });
});
