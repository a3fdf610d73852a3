import assert from 'node:assert/strict';
import { leaksIn, stabilize } from '../../../support/recording/stable-names.ts';
import { textOf } from '../../../support/recording/terminal-lines.ts';

const stable = (...texts: readonly string[]): readonly string[] =>
  stabilize(texts.map((text) => ({ seconds: 0, parts: [{ text, styles: [] }] }))).map(textOf);

/** The picture of the demo is in the repository, so names must not change in each run, and must not reveal the machine. */
describe('names that differ in each run', () => {
  const cases: Record<string, readonly [text: string, stable: string]> = {
    'include the identity of a controller': ['ccm-laptop.local-23fa8d67 has led', 'ccm-controller-1 has led'],
    'include UIDs': ['d770070b-665e-4211-af0e-556ace9737ea', '00000000-0000-4000-8000-000000000001'],
    'include names of load balancers': ['ad770070b665e4211af0e556ace9737e', 'a0000000000000000000000000000001'],
    'include ids of the cloud': ['lb-bp1vvff8jarl9wrawb29gx', 'lb-bp10000000000000000001'],
    'include pods': ['front-5cb6bd7ccd-ftrlb   10.0.0.11', 'front-0000000000-00001   10.0.0.11'],
    'include addresses of the cloud and of Services': ['47.226.150.149 172.21.11.176', '203.0.113.1 172.21.0.1'],
    'include node ports': ['80:31707/TCP k8s/31707/good', '80:30001/TCP k8s/30001/good'],
    'do not include ids of the seed': [
      'lb-bp1shared i-bp1sandbox000000000001:80',
      'lb-bp1shared i-bp1sandbox000000000001:80',
    ],
  };
  for (const [title, [text, expected]] of Object.entries(cases)) {
    it(title, () => assert.deepEqual(stable(text), [expected]));
  }

  it('are numbered by their first occurrence, over all lines', () =>
    assert.deepEqual(stable('47.1.1.1', '47.2.2.2 and 47.1.1.1'), ['203.0.113.1', '203.0.113.2 and 203.0.113.1']));

  it('leave the columns of tables aligned', () =>
    assert.deepEqual(stable('lb   47.226.150.149   user', 'lb   47.3.128.117     user'), [
      'lb   203.0.113.1      user',
      'lb   203.0.113.2      user',
    ]));
});

describe('the check of a recording for names of the machine', () => {
  const machine = { hostname: 'build-7', home: '/srv/builder', folder: '/srv/checkout/portcullis' };
  const leaks = [
    'ccm-build-7 leads',
    'cd /srv/checkout/portcullis',
    'see /srv/builder/.cache',
    'see /tmp/portcullis-x/egress.sock',
    'LTAI5tExample',
    '-----BEGIN PRIVATE KEY-----',
    'token eyJhbGciOiJSUzI1NiIsImtpZCI6',
  ];
  for (const line of leaks) it(`finds "${line}"`, () => assert.deepEqual(leaksIn(['fine', line], machine), [line]));

  it('accepts other lines', () =>
    assert.deepEqual(leaksIn(['kubectl get clb', 'build-70', 'manifests/samples/good.yaml'], machine), []));
});
