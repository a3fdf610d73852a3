import assert from 'node:assert/strict';
import { parseAnnotations } from '../../../../../src/annotation/parse.ts';
import { denialOfFindings, type Denial } from '../../../../../src/controller/service/policy/denial.ts';
import { aFacts, type FactsSaid } from '../../../../support/facts.ts';
import { aService, type ServiceSaid } from '../../../../support/service.ts';

const PREFIX = 'service.beta.kubernetes.io/';
const KEY = `${PREFIX}alibaba-cloud-loadbalancer-`;

function refused(said: ServiceSaid, facts: FactsSaid = {}): Denial | undefined {
  const service = aService(said);
  return denialOfFindings(service, parseAnnotations(service.metadata.annotations), { facts: aFacts(facts) });
}

describe('what the controller makes of a stored Service', () => {
  it('refuses what the cloud would refuse, in a sentence for each fault', () => {
    const refusal = refused({ annotations: { [`${KEY}bandwidth`]: 'much', [`${KEY}address-type`]: 'public' } });
    assert.equal(refusal?.hidesBackends, false);
    assert.equal(refusal.reasons.length, 2);
    assert.match(
      refusal.reasons[0] ?? '',
      /address-type\]: Unsupported value: "public": supported values: "internet", "intranet" /,
    );
  });

  for (const suffix of ['default-weight', 'weight', 'backend-label', 'remove-unscheduled-backend', 'vgroup-port']) {
    it(`leaves everything as it is where it cannot be read what ${suffix} says of backends`, () => {
      assert.equal(refused({ annotations: { [`${KEY}${suffix}`]: '?!' } })?.hidesBackends, true);
    });
  }

  it('leaves everything as it is if the Service has more ports than are known', () => {
    assert.equal(refused({ ports: Array.from({ length: 101 }, (_, at) => at + 1) })?.hidesBackends, true);
  });

  const CARRIED_OUT: Readonly<Record<string, ServiceSaid>> = {
    'a name of a port where backends are pods': {
      annotations: { [`${PREFIX}backend-type`]: 'eni' },
      ports: [{ port: 80, targetPort: 'web' }],
    },
    'an entry of protocol-port for a port that is not there': { annotations: { [`${KEY}protocol-port`]: 'tcp:81' } },
    'more ports than load balancers usually have listeners': { ports: Array.from({ length: 51 }, (_, n) => n + 1) },
    'fields that are not honoured': { annotations: { [`${KEY}default-weight`]: '50', [`${KEY}scheduler`]: 'rr' } },
  };
  for (const [sentence, said] of Object.entries(CARRIED_OUT)) {
    it(`carries out ${sentence}`, () => assert.equal(refused(said), undefined));
  }

  it('carries out a port that it holds already', () => {
    const facts = {
      loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp' }] } },
      holders: { 'lb-1': [['shop/web', 80, 'tcp']] },
    } as const;
    const annotations = { [`${KEY}id`]: 'lb-1', [`${KEY}force-override-listeners`]: 'true' };
    assert.equal(refused({ annotations }, facts), undefined);
  });
});
