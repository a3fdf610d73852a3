import assert from 'node:assert/strict';
import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { Condition, Constraint } from '../../../src/policy/custom-resources.ts';
import type { FactsInput } from '../../support/facts.ts';
import { aPolicyCache, evaluatedWith, findingTexts } from '../../support/policy-cache.ts';
import { anException } from '../../support/policy.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

/** Returns annotations by key for values by option. */
const annotated = (options: Partial<Record<OptionName, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([option, text]) => [CATALOGUE[option as OptionName].key, text]));

interface Row {
  /** The rule with an exception. */
  readonly lifted: string;
  readonly constraint: Pick<Constraint, 'when' | 'require'>;
  readonly service: ServiceInput;
  readonly facts?: FactsInput;
  /** The denials, as `[annotation]=found` or `field=found`. */
  readonly denies: readonly string[];
}

const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };
const PUBLIC: Condition = { annotation: 'address-type', oneOf: ['internet'] };
const ON = { addressType: 'internet', aclStatus: 'on', aclId: 'acl-1', aclType: 'white' } as const;
const FREE = { owner: 'user' as const, addressType: 'internet' as const };

/** The violations that are found despite an invalid or ineffective annotation. */
const HIDDEN: Readonly<Record<string, Row>> = {
  'an unreadable address type': {
    lifted: 'annotation-value',
    constraint: { require: [INTRANET] },
    service: { annotations: annotated({ addressType: 'internett' }) },
    denies: ['[address-type]=internett'],
  },
  'an unreadable but required ACL type': {
    lifted: 'annotation-value',
    constraint: { when: [PUBLIC], require: [{ annotation: 'acl-type', present: true }] },
    service: { annotations: annotated({ ...ON, aclType: 'grey' }) },
    denies: ['[acl-type]=grey'],
  },
  'an unreadable value in a condition': {
    lifted: 'annotation-value',
    constraint: { when: [PUBLIC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    service: { annotations: annotated({ addressType: 'internett' }) },
    denies: ['[acl-status]='],
  },
  'unreadable tags': {
    lifted: 'annotation-value',
    constraint: { require: [{ tag: 'team', present: true }] },
    service: { annotations: annotated({ additionalResourceTags: '=x' }) },
    denies: ['[additional-resource-tags]='],
  },
  'unreadable protocols': {
    lifted: 'annotation-value',
    constraint: { require: [{ field: 'protocol', oneOf: ['https'] }] },
    service: { annotations: annotated({ protocolPort: 'https-80' }) },
    denies: ['spec.ports[0].protocol=tcp'],
  },
  'the address type of a reused load balancer, whatever the annotation is': {
    lifted: 'reuse-address',
    constraint: { require: [INTRANET] },
    service: { annotations: annotated({ id: 'lb-1', addressType: 'intranet' }) },
    facts: { loadBalancers: { 'lb-1': FREE } },
    denies: ['[address-type]=intranet'],
  },
  'the resource group of a reused load balancer, whatever the annotation is': {
    lifted: 'reuse-resource-group',
    constraint: { require: [{ annotation: 'resource-group-id', oneOf: ['rg-1'] }] },
    service: { annotations: annotated({ id: 'lb-1', resourceGroupId: 'rg-1' }) },
    facts: { loadBalancers: { 'lb-1': { ...FREE, resourceGroupId: 'rg-2' } } },
    denies: ['[resource-group-id]=rg-1'],
  },
};

/** An exception for an invalid value must not hide the violation of another rule. */
describe('an exception for another rule does not prevent the denial of', () => {
  for (const [what, { lifted, constraint, service, facts, denies }] of Object.entries(HIDDEN)) {
    it(what, () => {
      const policies = { p: { constraints: [{ name: 'c', ...constraint }] } };
      const cache = aPolicyCache({ policies, exceptions: [anException('e', { rule: lifted })] });
      const lines = findingTexts(evaluatedWith(cache, { object: aService(service) }, facts));
      assert.deepEqual(
        lines.filter((line) => line.startsWith('deny')),
        denies.map((fault) => `deny policy/p/c ${fault}`),
      );
    });
  }
});
