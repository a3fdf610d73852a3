import assert from 'node:assert/strict';
import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { LoadBalancerPolicySpec, PolicyDefault } from '../../../src/policy/resource.ts';
import { aFacts, type FactsSaid } from '../../support/facts.ts';
import { aBook, judgedWith, told, type BookSaid } from '../../support/policy-cache.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';

const said = (options: Partial<Record<OptionName, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([option, text]) => [CATALOGUE[option as OptionName].key, text]));

const giving = (...defaults: PolicyDefault[]): LoadBalancerPolicySpec => ({ defaults });
const INTRANET: PolicyDefault = { annotation: 'address-type', value: 'intranet' };
const NAME: PolicyDefault = { annotation: 'name', value: '${cluster}-${namespace}-${name}' };
const PUBLIC = [{ annotation: 'address-type', oneOf: ['internet'] }];
const LIST: PolicyDefault = { annotation: 'acl-id', value: 'acl-1', when: PUBLIC };

interface Row {
  readonly policies: BookSaid['policies'];
  readonly service?: ServiceSaid;
  readonly facts?: FactsSaid;
  /** Applied defaults as `suffix=value`, and omitted ones as `suffix: why`. */
  readonly gives: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'a value where nothing is said': { policies: { p: giving(INTRANET) }, gives: ['address-type=intranet by p'] },
  'nothing where something is said': {
    policies: { p: giving(INTRANET) },
    service: { annotations: said({ addressType: 'internet' }) },
    gives: [],
  },
  'nothing where something is said under a deprecated key': {
    policies: { p: giving(INTRANET) },
    service: { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-address-type': 'internet' } },
    gives: [],
  },
  'nothing where an empty text stands': {
    policies: { p: giving(INTRANET) },
    service: { annotations: said({ addressType: '' }) },
    gives: [],
  },
  'a name made of the object': {
    policies: { p: giving(NAME) },
    facts: { cluster: { clusterId: 'c1' } },
    gives: ['name=c1-shop-web by p'],
  },
  'a name cut to what is taken everywhere, and told apart by a hash': {
    policies: { p: giving(NAME) },
    service: { name: 'w'.repeat(63) },
    facts: { cluster: { clusterId: 'c'.repeat(33) } },
    gives: [`name=${'c'.repeat(33)}-shop-${'w'.repeat(32)}-HASH by p`],
  },
  'what follows from what another condition gives': {
    policies: {
      p: giving({ annotation: 'acl-status', value: 'on', when: [{ annotation: 'acl-id', present: true }] }, LIST),
    },
    gives: ['acl-id=acl-1 by p', 'acl-status=on by p'],
  },
  'no name as long as the cluster is not known': {
    policies: { p: giving(NAME) },
    facts: { cluster: null },
    gives: ["name: the cluster's id is not known yet"],
  },
  'no name to what is yet to be named': {
    policies: { p: giving(NAME) },
    service: { name: '' },
    gives: ['name: the API server has not generated the name yet'],
  },
  'nothing that would be no value': {
    policies: { p: giving({ annotation: 'scheduler', value: '${namespace}' }) },
    gives: ['scheduler: Unsupported value: "shop": supported values: "rr", "wrr", "wlc", "sch", "tch", "qch"'],
  },
  'what the first policy by name says': {
    policies: { b: giving(INTRANET), a: giving({ annotation: 'address-type', value: 'internet' }) },
    gives: ['address-type=internet by a'],
  },
  'what holds under a condition': { policies: { p: giving(LIST) }, gives: ['acl-id=acl-1 by p'] },
  'nothing where the condition does not hold': {
    policies: { p: giving(LIST) },
    service: { annotations: said({ addressType: 'intranet' }) },
    gives: [],
  },
  'nothing where it does not hold because of another default, whichever comes first': {
    policies: { a: giving(LIST), b: giving(INTRANET) },
    gives: ['address-type=intranet by b'],
  },
  'the general value where the special one does not apply': {
    policies: { a: giving(LIST), b: giving(INTRANET), c: giving({ annotation: 'acl-id', value: 'acl-2' }) },
    gives: ['acl-id=acl-2 by c', 'address-type=intranet by b'],
  },
  'nothing to a load balancer that is reused': {
    policies: { p: giving({ annotation: 'spec', value: 'slb.s1.small' }, { annotation: 'scheduler', value: 'wrr' }) },
    service: { annotations: said({ id: 'lb-1' }) },
    gives: [],
  },
  'to listeners that are overridden what listeners may have': {
    policies: { p: giving({ annotation: 'spec', value: 'slb.s1.small' }, { annotation: 'scheduler', value: 'wrr' }) },
    service: { annotations: said({ id: 'lb-1', forceOverrideListeners: 'true' }) },
    gives: ['scheduler=wrr by p'],
  },
  'nothing of a policy about other namespaces': {
    policies: { p: { match: { namespaceSelector: { matchLabels: { team: 'bank' } } }, ...giving(INTRANET) } },
    gives: [],
  },
  'nothing of a policy about other Services': {
    policies: { p: { match: { serviceSelector: { matchLabels: { tier: 'edge' } } }, ...giving(INTRANET) } },
    gives: [],
  },
  'nothing of a policy about updates': {
    policies: { p: { match: { operations: ['UPDATE'] }, ...giving(INTRANET) } },
    gives: [],
  },
};

describe('defaults give a new Service', () => {
  for (const [what, { policies = {}, service = {}, facts = {}, gives }] of Object.entries(ROWS)) {
    it(what, () => {
      const { book } = aBook({ policies });
      const { applied: filled, unapplied: unfilled } = book.defaultsForService(aService(service), aFacts(facts));
      const suffix = (key: string): string => key.replace(/.*loadbalancer-/, '');
      assert.deepEqual(
        [
          ...filled.map(
            ({ key, value, policy }) => `${suffix(key)}=${value.replace(/-[0-9a-f]{8}$/, '-HASH')} by ${policy}`,
          ),
          ...unfilled.map(({ key, why }) => `${suffix(key)}: ${why}`),
        ],
        gives,
      );
      for (const { value } of filled) assert.ok(value.length <= 80, value);
    });
  }

  it('different names to objects whose names begin alike', () => {
    const { book } = aBook({ policies: { p: giving(NAME) } });
    const facts = aFacts({ cluster: { clusterId: 'c'.repeat(33) } });
    const nameOf = (name: string): string | undefined =>
      book.defaultsForService(aService({ name }), facts).applied.map(({ value }) => value)[0];
    assert.notEqual(nameOf(`${'w'.repeat(62)}a`), nameOf(`${'w'.repeat(62)}b`));
    assert.equal(nameOf('w'.repeat(63)), nameOf('w'.repeat(63)));
  });

  it('a name that is cut, and that the pattern it is made by takes', () => {
    const policies = {
      p: {
        ...giving({ annotation: 'name', value: '${namespace}-${name}' }),
        constraints: [{ name: 'c', require: [{ annotation: 'name', oneOf: ['${namespace}-${name}'] }] }],
      },
    };
    const namespace = 'n'.repeat(45);
    const book = aBook({ policies, namespaces: { [namespace]: {} } });
    const [filling] = book.book.defaultsForService(aService({ namespace, name: 'w'.repeat(50) }), aFacts()).applied;
    const verdict = (name: string | undefined): readonly string[] => {
      const annotations = said({ name: name ?? '' });
      const lines = told(judgedWith(book, { object: aService({ namespace, name: 'w'.repeat(50), annotations }) }));
      return lines.filter((line) => line.startsWith('deny'));
    };
    assert.equal(filling?.value.length, 80);
    assert.deepEqual(verdict(filling.value), []);
    assert.equal(verdict(filling.value.slice(0, -1)).length, 1, 'and no other one');
  });
});
