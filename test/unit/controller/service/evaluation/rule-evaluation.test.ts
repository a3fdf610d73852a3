import assert from 'node:assert/strict';
import { parseAnnotations } from '../../../../../src/annotation/parse.ts';
import { denialOfFindings, type Denial } from '../../../../../src/controller/service/evaluation/rule-evaluation.ts';
import { aFacts, type FactsInput } from '../../../../support/facts.ts';
import { aService, type ServiceInput } from '../../../../support/service.ts';

const PREFIX = 'service.beta.kubernetes.io/';
const KEY = `${PREFIX}alibaba-cloud-loadbalancer-`;

function denialFor(input: ServiceInput, facts: FactsInput = {}): Denial | undefined {
  const service = aService(input);
  return denialOfFindings(service, parseAnnotations(service.metadata.annotations), { facts: aFacts(facts) });
}

/** The controller evaluates rules again, because a Service can be stored while no webhook answers. */
describe('the evaluation of a stored Service', () => {
  it('denies a Service that the cloud would reject, with a message for each error', () => {
    const denial = denialFor({ annotations: { [`${KEY}bandwidth`]: 'much', [`${KEY}address-type`]: 'public' } });
    assert.equal(denial?.hidesBackends, false);
    assert.equal(denial.reasons.length, 2);
    assert.match(
      denial.reasons[0] ?? '',
      /address-type\]: Unsupported value: "public": supported values: "internet", "intranet" /,
    );
  });

  for (const suffix of ['default-weight', 'weight', 'backend-label', 'remove-unscheduled-backend', 'vgroup-port']) {
    it(`blocks changes of backends if the annotation ${suffix} is invalid`, () => {
      assert.equal(denialFor({ annotations: { [`${KEY}${suffix}`]: '?!' } })?.hidesBackends, true);
    });
  }

  it('blocks changes of backends if the Service has more ports than the evaluation reads', () => {
    assert.equal(denialFor({ ports: Array.from({ length: 101 }, (_, at) => at + 1) })?.hidesBackends, true);
  });

  const ALLOWED: Readonly<Record<string, ServiceInput>> = {
    'a named target port with pods as backends': {
      annotations: { [`${PREFIX}backend-type`]: 'eni' },
      ports: [{ port: 80, targetPort: 'web' }],
    },
    'an entry of protocol-port for a missing port': { annotations: { [`${KEY}protocol-port`]: 'tcp:81' } },
    'more ports than the default listener quota': { ports: Array.from({ length: 51 }, (_, n) => n + 1) },
    'annotations without effect': { annotations: { [`${KEY}default-weight`]: '50', [`${KEY}scheduler`]: 'rr' } },
  };
  for (const [title, input] of Object.entries(ALLOWED)) {
    it(`allows ${title}`, () => assert.equal(denialFor(input), undefined));
  }

  it('allows a port that the Service already uses', () => {
    const facts = {
      loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp' }] } },
      holders: { 'lb-1': [['shop/web', 80, 'tcp']] },
    } as const;
    const annotations = { [`${KEY}id`]: 'lb-1', [`${KEY}force-override-listeners`]: 'true' };
    assert.equal(denialFor({ annotations }, facts), undefined);
  });
});
