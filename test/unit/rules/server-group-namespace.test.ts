import assert from 'node:assert/strict';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

interface Naming extends ServiceInput {
  readonly groups?: string;
  readonly id?: string;
  /** The minute of creation. */
  readonly at?: number;
  readonly metadata?: object;
  readonly other?: string;
}

/** Returns a Service that names server groups. */
function naming({ groups, id = 'lb-1', at = 30, metadata, other, ...input }: Naming = {}): Service {
  const service = aService({
    ports: [443, 80],
    ...input,
    annotations: {
      [`${KEY}id`]: id,
      ...(groups === undefined ? {} : { [`${KEY}vgroup-port`]: groups }),
      ...(other === undefined ? {} : { [`${KEY}idle-timeout`]: other }),
    },
  });
  const namespace = input.namespace ?? 'tenant-b';
  const creationTimestamp = `2026-01-01T00:${String(at).padStart(2, '0')}:00Z`;
  return {
    ...service,
    metadata: { ...service.metadata, namespace, uid: `${namespace}/web`, creationTimestamp, ...metadata },
  };
}

const PAY: Naming = { namespace: 'payments', name: 'pay', groups: 'rsp-victim:443', at: 10 };

interface Row {
  readonly object: Naming;
  readonly stored?: Naming;
  readonly services?: readonly Naming[];
  readonly denied?: readonly string[];
  readonly warned?: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'denies a new Service the group of another namespace': {
    object: { groups: 'rsp-victim:443' },
    services: [PAY],
    denied: ['rsp-victim:443'],
  },
  'denies each entry with the group of another namespace, and no other entry': {
    object: { groups: 'rsp-victim:443,rsp-own:80,rsp-victim:80' },
    services: [PAY],
    denied: ['rsp-victim:443', 'rsp-victim:80'],
  },
  'denies a change of the annotation to the group of another namespace': {
    object: { groups: 'rsp-victim:443' },
    stored: { groups: 'rsp-own:443' },
    services: [PAY, { groups: 'rsp-own:443' }],
    denied: ['rsp-victim:443'],
  },
  'denies the group of another namespace to an older Service too': {
    object: { groups: 'rsp-victim:443', at: 1 },
    stored: { groups: 'rsp-own:443', at: 1 },
    services: [PAY, { groups: 'rsp-own:443', at: 1 }],
    denied: ['rsp-victim:443'],
  },
  'denies an added annotation with the group of another namespace': {
    object: { groups: 'rsp-victim:443' },
    stored: {},
    services: [PAY],
    denied: ['rsp-victim:443'],
  },
  'denies a change to type LoadBalancer if another namespace uses the group': {
    object: { groups: 'rsp-victim:443' },
    stored: { groups: 'rsp-victim:443', type: 'ClusterIP' },
    services: [PAY],
    denied: ['rsp-victim:443'],
  },
  'denies a change of the id to a load balancer where another namespace uses the group': {
    object: { groups: 'rsp-victim:443' },
    stored: { groups: 'rsp-victim:443', id: 'lb-2' },
    services: [PAY],
    denied: ['rsp-victim:443'],
  },
  'warns about the group of another namespace in a stored Service': {
    object: { groups: 'rsp-victim:443', other: '30' },
    stored: { groups: 'rsp-victim:443' },
    services: [PAY, { groups: 'rsp-victim:443' }],
    warned: ['rsp-victim:443'],
  },
  'denies an added port for a stored group of another namespace': {
    object: { groups: 'rsp-victim:443,rsp-victim:80' },
    stored: { groups: 'rsp-victim:443' },
    services: [PAY, { groups: 'rsp-victim:443' }],
    denied: ['rsp-victim:80'],
    warned: ['rsp-victim:443'],
  },
  'allows a group that another Service of the same namespace names': {
    object: { groups: 'rsp-victim:443', namespace: 'payments' },
    services: [PAY],
  },
  'if two namespaces name a group, allows a new Service in the one with the oldest Service': {
    object: { groups: 'rsp-victim:80', namespace: 'payments' },
    services: [{ groups: 'rsp-victim:443' }, PAY],
  },
  'if two namespaces name a group, denies a new Service in the one with a younger Service': {
    object: { groups: 'rsp-victim:80' },
    services: [{ groups: 'rsp-victim:443', name: 'api' }, PAY],
    denied: ['rsp-victim:80'],
  },
  'allows a group of the same name on another load balancer': {
    object: { groups: 'rsp-victim:443' },
    services: [{ ...PAY, id: 'lb-2' }],
  },
  'allows the group of a Service that is being deleted': {
    object: { groups: 'rsp-victim:443' },
    services: [{ ...PAY, metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } }],
  },
  'allows the group of a Service that is not of type LoadBalancer': {
    object: { groups: 'rsp-victim:443' },
    services: [{ ...PAY, type: 'ClusterIP' }],
  },
};

function evaluated({ object, stored, services = [] }: Row) {
  const request = readReview(
    aReview({ object: naming(object), ...(stored === undefined ? {} : { oldObject: naming(stored) }) }),
  );
  const listeners = [{ port: 443, protocol: 'tcp' }] as const;
  return validate(request, {
    facts: aFacts({ loadBalancers: { 'lb-1': { listeners }, 'lb-2': {} }, services: services.map(naming) }),
    // A policy cannot disable a rule of tier safety.
    policy: { mode: () => 'audit' },
    rules: ALL_RULES,
    expired: () => false,
  });
}

/** Two tenants in one server group would receive the traffic of each other. */
describe('the rule server-group-namespace', () => {
  for (const [title, row] of Object.entries(ROWS)) {
    it(title, () => {
      const { denials, warnings } = evaluated(row);
      const foundIn = (findings: typeof denials): readonly string[] =>
        findings
          .filter(({ rule }) => rule.name === 'server-group-namespace')
          .map(({ violation }) => String(violation.value));
      assert.deepEqual(
        { denied: foundIn(denials), warned: foundIn(warnings) },
        { denied: row.denied ?? [], warned: row.warned ?? [] },
      );
    });
  }

  it('looks up a group once, however many entries contain it', () => {
    let looks = 0;
    const groups = Array.from({ length: 40 }, (_, port) => `rsp-victim:${port + 1}`).join(',');
    const [rule] = ALL_RULES.service.filter(({ name }) => name === 'server-group-namespace');
    const facts = { ...aFacts(), groupClaims: () => ((looks += 1), []) };
    validate(readReview(aReview({ object: naming({ groups }) })), {
      facts,
      policy: { mode: () => 'enforce' },
      rules: { service: rule === undefined ? [] : [rule], node: [] },
      expired: () => false,
    });
    assert.equal(looks, 1);
  });
});
