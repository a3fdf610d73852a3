import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { evaluateRules } from '../../../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { SERVICE_RULES } from '../../../src/rules/index.ts';
import { aFacts, type FactsInput } from '../../support/facts.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const REUSE = { annotations: { [`${KEY}id`]: 'lb-1' } };

describe('a denial', () => {
  const denialOf = (input: ServiceInput, facts: FactsInput): { shown: string; audit: string } => {
    const { findings } = evaluateRules(SERVICE_RULES, serviceSubject(aService(input)), {
      facts: aFacts(facts),
      policy: ENFORCE_ALL,
    });
    return {
      shown: findings.map(({ violation }) => `${violation.detail} ${violation.remedy}`).join(' '),
      audit: findings.map(({ violation }) => violation.audit ?? '').join(' '),
    };
  };
  const rows: Record<string, { input: ServiceInput; facts: FactsInput; hidden: RegExp }> = {
    'hides the owner of a load balancer': {
      input: REUSE,
      facts: { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'bank/ledger' } } },
      hidden: /ledger/,
    },
    'hides the Service on a port': {
      input: { annotations: { ...REUSE.annotations, [`${KEY}force-override-listeners`]: 'true' } },
      facts: { loadBalancers: { 'lb-1': {} }, holders: { 'lb-1': [['bank/ledger', 80, 'tcp']] } },
      hidden: /ledger/,
    },
    'hides the Service of a server group': {
      input: { annotations: { ...REUSE.annotations, [`${KEY}vgroup-port`]: 'rsp-1:80' } },
      facts: {
        loadBalancers: { 'lb-1': {} },
        services: [
          aService({
            ...{ name: 'ledger', namespace: 'bank' },
            annotations: { ...REUSE.annotations, [`${KEY}vgroup-port`]: 'rsp-1:443' },
          }),
        ],
      },
      hidden: /ledger/,
    },
    'hides the resource group': {
      input: { annotations: { [`${KEY}id`]: 'lb-1', [`${KEY}resource-group-id`]: 'rg-a' } },
      facts: { loadBalancers: { 'lb-1': { resourceGroupId: 'rg-bank' } } },
      hidden: /rg-bank/,
    },
    'hides the network': {
      input: REUSE,
      facts: { loadBalancers: { 'lb-1': { vpcId: 'vpc-bank' } } },
      hidden: /vpc-bank/,
    },
  };
  for (const [title, { input, facts, hidden }] of Object.entries(rows)) {
    it(`${title}, and records it in the audit log`, () => {
      const { shown, audit } = denialOf(input, facts);
      assert.doesNotMatch(shown, hidden);
      assert.match(audit, hidden);
    });
  }

  it('names the objects in the namespace of the user', () => {
    const { shown } = denialOf(REUSE, { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/other' } } });
    assert.match(shown, /Service shop\/other/);
  });
});
