import assert from 'node:assert/strict';
import { LOAD_BALANCERS } from '../src/local/seed.ts';
import type { ClassicLoadBalancerStatus } from '../src/inventory/custom-resources.ts';
import { objectKey, type Service } from '../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../src/policy/policy-decisions.ts';
import { SERVICE_RULES } from '../src/rules/index.ts';
import { consequenceOf, evaluateRules } from '../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../src/rules/engine/subject.ts';
import { aClbStatus, aCloudInventory } from './support/inventory.ts';
import { manifestsOf } from './support/manifests.ts';

/** The rules that deny each sample in the sandbox, in the order of their violations. */
const DENIED_BY: Readonly<Record<string, readonly string[]>> = {
  combinations: Array.from({ length: 4 }, () => 'annotation-combination'),
  'deprecated-keys': [],
  faults: [
    'annotation-value',
    'annotation-value',
    'annotation-value',
    'unknown-annotation',
    'protocol-port',
    'port-protocol',
  ],
  good: [],
  https: [],
  limits: ['limits'],
  pods: [],
  ports: ['protocol-port', 'forward-port', 'port-protocol'],
  'reuse-api-server': ['protected-load-balancer'],
  'reuse-other-cluster': ['foreign-load-balancer'],
  'reuse-other-group': ['reuse-resource-group'],
  'reuse-shared': [],
  'reuse-taken-port': ['reuse-listener'],
  'reuse-user-listener': [],
  second: [],
  'taken-over': [],
};

const INVENTORY = new Map<string, ClassicLoadBalancerStatus>([
  [LOAD_BALANCERS.apiServer, aClbStatus({ owner: 'api-server' })],
  [LOAD_BALANCERS.otherCluster, aClbStatus({ owner: 'other-cluster' })],
  [LOAD_BALANCERS.otherResourceGroup, aClbStatus({ resourceGroupId: 'rg-finance0000001' })],
  [LOAD_BALANCERS.reusable, aClbStatus()],
  [LOAD_BALANCERS.withUserListener, aClbStatus({ listeners: [{ port: 25, protocol: 'tcp' }] })],
]);

const services = manifestsOf('manifests/samples/*.yaml').filter(
  ({ kind }) => kind === 'Service',
) as unknown as Service[];
const holder = objectKey('reuse-shared', 'demo');

/** Returns the rules that deny a sample after `reuse-shared` is applied. */
function denialsOf(service: Service): readonly string[] {
  const facts = {
    freshness: () => ({ kind: 'fresh', ageMs: 0 }) as const,
    cluster: () => aCloudInventory().status,
    loadBalancer: (id: string) => INVENTORY.get(id),
    ownedBy: () => undefined,
    boundTo: () => undefined,
    sharedWith: () => undefined,
    groupClaims: () => [],
    portHolders: (id: string) =>
      id === LOAD_BALANCERS.reusable ? [{ service: holder, port: 80, protocol: 'tcp' as const }] : [],
  };
  const { findings, unevaluated } = evaluateRules(SERVICE_RULES, serviceSubject(service), {
    facts,
    policy: ENFORCE_ALL,
  });
  assert.deepEqual(unevaluated, []);
  return findings
    .filter((finding) => consequenceOf(finding, ENFORCE_ALL, 'demo') === 'deny')
    .map(({ rule }) => rule.name);
}

/** The demo and the documentation apply the samples, so each must be allowed or denied as described. */
describe('the samples', () => {
  it('are all in the table of this test', () => {
    assert.deepEqual(services.map(({ metadata }) => metadata.name).sort(), Object.keys(DENIED_BY).sort());
  });

  for (const service of services) {
    const { name } = service.metadata;
    const expected = DENIED_BY[name] ?? [];
    it(`${name} is ${expected.length === 0 ? 'allowed' : `denied by ${[...new Set(expected)].join(', ')}`}`, () => {
      assert.deepEqual(denialsOf(service), expected);
    });
  }
});
