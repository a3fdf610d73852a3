import assert from 'node:assert/strict';
import { Cache } from '../../../src/kubernetes/cache.ts';
import { rootLogger } from '../../../src/base/log.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { noFacts } from '../../../src/lint/inventory-facts.ts';
import { createPolicyContext } from '../../../src/lint/policy/policy-context.ts';
import { rulesFor, lintResultOf } from '../../../src/lint/webhook-evaluation.ts';
import type { LoadBalancerPolicy } from '../../../src/policy/custom-resources.ts';
import { servicesIn, type PlannedService } from '../../../src/plan-command/services-in-files.ts';
import { aPolicy } from '../../support/policy.ts';
import { aService } from '../../support/service.ts';

const manifest = (spec: string, annotations = ''): string => `
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
${annotations}
spec:
${spec}
`;
const LOAD_BALANCER = '  type: LoadBalancer\n  ports:\n    - {name: p80, port: 80, targetPort: 80}\n    - {port: 90}';

function stored(...services: readonly Service[]): Cache<Service> {
  const cache = new Cache<Service>(rootLogger('silent'));
  for (const service of services) cache.put(service);
  return cache;
}

/** Applies a file to a cluster with stored Services and policies. */
function apply(
  text: string,
  cache = stored(),
  policies: readonly LoadBalancerPolicy[] = [],
): readonly PlannedService[] {
  const clock = { now: () => 0 };
  const namespaces = new Map([['shop', {}]]);
  const world = createPolicyContext({ policies, exceptions: [], namespaces, services: cache.values(), clock });
  const bench = { facts: noFacts(), rules: rulesFor(true, true), policyContext: world };
  return servicesIn([{ name: 'a.yaml', text }], 'shop', cache, (wanted, before) => lintResultOf(wanted, before, bench));
}
const read = (text: string, cache = stored()): readonly Service[] =>
  apply(text, cache).flatMap(({ service }) => service ?? []);

/** A plan for a file must equal what the controller does after the API server has stored the file. */
describe('the Services of a file', () => {
  it('that are not stored get assumed node ports, and a UID of zeros', () => {
    const [service] = read(manifest(LOAD_BALANCER));
    assert.deepEqual(
      service?.spec?.ports?.map(({ nodePort }) => nodePort),
      [30_000, 30_001],
    );
    assert.equal(service.metadata.uid, '00000000-0000-0000-0000-000000000000');
  });

  const assumedPorts: Readonly<Record<string, readonly [ports: string, expected: readonly number[]]>> = {
    'for each port without a node port': ['[{port: 80}, {port: 81}]', [30_000, 30_001]],
    'for a node port of 0, which requests any': ['[{port: 80, nodePort: 0}]', [30_000]],
    'that no other port has': ['[{port: 80}, {name: b, port: 81, nodePort: 30000}]', [30_001]],
    'except for a port that names a node port': ['[{port: 80, nodePort: 30555}]', []],
  };
  for (const [title, [ports, expected]] of Object.entries(assumedPorts)) {
    it(`that are not stored have assumed node ports ${title}`, () => {
      const [applied] = apply(manifest(`  type: LoadBalancer\n  ports: ${ports}`));
      assert.deepEqual(applied?.assumedPorts, expected);
    });
  }

  it('have no assumed node ports if the API server assigns no node ports', () => {
    const [applied] = apply(manifest(`  allocateLoadBalancerNodePorts: false\n${LOAD_BALANCER}`));
    assert.deepEqual([applied?.assumedPorts, applied?.service?.spec?.ports?.[0]?.nodePort], [[], undefined]);
  });

  it('that are stored keep their UID, node ports, labels and status from the cluster', () => {
    const before = {
      ...aService({ labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } }),
      status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } },
    };
    const [service] = read(manifest(LOAD_BALANCER), stored(before));
    assert.equal(service?.metadata.uid, before.metadata.uid);
    assert.equal(service.spec?.ports?.[0]?.nodePort, 30_080);
    assert.deepEqual(apply(manifest(LOAD_BALANCER), stored(before))[0]?.assumedPorts, [30_000]);
    assert.equal(service.metadata.labels?.['service.k8s.alibaba/loadbalancer-id'], 'lb-1');
    assert.deepEqual(service.status, before.status);
  });

  it('lose an annotation that only the previous manifest has', () => {
    const key = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler';
    const last = JSON.stringify({ metadata: { annotations: { [key]: 'wrr' } } });
    const annotations = { [key]: 'wrr', 'kubectl.kubernetes.io/last-applied-configuration': last };
    const [service] = read(manifest(LOAD_BALANCER), stored(aService({ annotations })));
    assert.equal(service?.metadata.annotations?.[key], undefined);
  });

  it('are read with the current keys of their annotations', () => {
    const old = '  annotations: {service.beta.kubernetes.io/alicloud-loadbalancer-scheduler: wrr}';
    const [service] = read(manifest(LOAD_BALANCER, old));
    assert.deepEqual(Object.keys(service?.metadata.annotations ?? {}), [
      'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler',
    ]);
  });

  it('of another type are ignored, unless the stored Service still has the finalizer', () => {
    const text = manifest('  type: ClusterIP');
    assert.deepEqual(read(text), []);
    const had = { ...aService(), metadata: { ...aService().metadata, finalizers: ['service.k8s.alibaba/resources'] } };
    assert.equal(read(text, stored(had)).length, 1);
  });

  it('that are unreadable are reported with their position', () => {
    assert.throws(() => read('a: [b'), { message: /^a\.yaml:\d+:\d+: / });
  });

  it('are denied for fields of other types, and do not stop the next Services', () => {
    const wrong = manifest('  type: LoadBalancer\n  ports: [{port: "80"}, {port: 81, nodePort: high}]');
    const [first, second] = apply(`${wrong}---\n${manifest(LOAD_BALANCER).replace('name: web', 'name: next')}`);
    assert.deepEqual([first?.key, second?.key], ['shop/web', 'shop/next']);
    assert.match(first?.denied.join('\n') ?? '', /^spec\.ports\[0\]\.port: .*\nspec\.ports\[1\]\.nodePort: /);
    assert.deepEqual(second?.denied, []);
  });

  it('ignore a status and a UID of the file, which only the cluster writes', () => {
    const text = `${manifest(LOAD_BALANCER)}status: {loadBalancer: {ingress: [{ip: 47.0.0.9}]}}`;
    const [service] = read(text.replace('name: web', 'name: web\n  uid: u-1'));
    assert.deepEqual([service?.status, service?.metadata.uid], [undefined, '00000000-0000-0000-0000-000000000000']);
  });

  const key = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
  const annotated = (name: string, value: string): string =>
    manifest(LOAD_BALANCER, `  annotations: {${key}${name}: ${value}}`);
  const INTRANET = aPolicy('internal', {
    constraints: [{ name: 'private', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }],
  });
  const denials: Readonly<Record<string, readonly [text: string, policies: readonly LoadBalancerPolicy[], RegExp[]]>> =
    {
      'every violation of the rules': [
        annotated('scheduler', `fair, ${key}bandwidth: "9000"`),
        [],
        [/bandwidth.*9000/, /scheduler.*fair/],
      ],
      'a rule that applies only at admission': [annotated('bandwith', '"5"'), [], [/bandwith/]],
      'a constraint of a policy': [manifest(LOAD_BALANCER), [INTRANET], [/address-type/]],
      'a value that is not a string': [
        annotated('established-timeout', '60'),
        [],
        [/established-timeout\]: Invalid value: "60": must be a string; /],
      ],
    };
  for (const [title, [text, policies, expected]] of Object.entries(denials)) {
    it(`are denied for ${title}`, () => {
      const denied = apply(text, stored(), policies)[0]?.denied ?? [];
      assert.equal(denied.length, expected.length, denied.join('\n'));
      for (const [index, pattern] of expected.entries()) assert.match(denied[index] ?? '', pattern);
    });
  }

  it('are admitted with a preexisting violation, and with the defaults of policies', () => {
    const before = aService({ annotations: { [`${key}bandwidth`]: '9000' } });
    assert.deepEqual(apply(annotated('bandwidth', '"9000"'), stored(before))[0]?.denied, []);
    const policy = aPolicy('given', { defaults: [{ annotation: 'address-type', value: 'intranet' }] });
    const [applied] = apply(manifest(LOAD_BALANCER), stored(), [INTRANET, policy]);
    assert.deepEqual(
      [applied?.denied, applied?.service?.metadata.annotations?.[`${key}address-type`]],
      [[], 'intranet'],
    );
  });

  it('count in the evaluation of the next Services in the file unless they are denied', () => {
    const cache = stored();
    apply(manifest(LOAD_BALANCER), cache);
    apply(annotated('bandwith', '"5"').replace('name: web', 'name: bad'), cache);
    assert.deepEqual(
      [...cache.values()].map(({ metadata }) => metadata.name),
      ['web'],
    );
  });
});
