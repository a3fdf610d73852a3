import assert from 'node:assert/strict';
import { objectKey } from '../../../../src/base/kubernetes-objects.ts';
import { aPolicy } from '../../../support/policy.ts';
import { namespace, reporterCase, SPEC } from '../../../support/policy-reporter-case.ts';
import { aService } from '../../../support/service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

/** Services stored before a policy never pass admission again, so only the report shows their violations. */
describe('the evaluation of stored Services', () => {
  it('reports the violations of policies in their status and in reports', async () => {
    const test = reporterCase();
    test.policies.put(aPolicy('p', SPEC));
    test.services.put(aService({ name: 'old', ports: [22] }));
    test.services.put(aService({ name: 'good' }));
    await test.clock.advance(5_000);
    const violations = () => test.policy('p')?.status?.violations;
    assert.deepEqual(violations(), [{ name: 'c', services: 1, namespaces: 1, examples: ['shop/old'] }]);
    assert.deepEqual(test.double.report('shop')?.summary, { pass: 1, fail: 1, warn: 0, error: 0, skip: 0 });
    test.change('p', { constraints: SPEC.constraints?.map((constraint) => ({ ...constraint, mode: 'audit' })) ?? [] });
    await test.clock.advance(5_000);
    assert.deepEqual(test.double.report('shop')?.summary, { pass: 1, fail: 0, warn: 1, error: 0, skip: 0 });
    const { length } = [...test.writes, ...test.double.writes];
    test.services.put(aService({ name: 'good', labels: { more: 'of-them' } }));
    await test.clock.advance(3_600_000);
    assert.equal([...test.writes, ...test.double.writes].length, length, 'nothing is written while nothing changes');
    test.services.remove(objectKey('old', 'shop'));
    await test.clock.advance(5_000);
    assert.deepEqual(violations(), []);
    assert.equal(test.double.report('shop'), undefined);
    await test.stop();
  });

  it('runs again if a namespace gets a label, and includes policies for updates', async () => {
    const test = reporterCase();
    test.policies.put(aPolicy('p', { ...SPEC, match: { ...SPEC.match, operations: ['UPDATE'] } }));
    test.services.put(aService({ name: 'old', namespace: 'bank', ports: [22] }));
    await test.clock.advance(5_000);
    assert.equal(test.double.report('bank'), undefined);
    test.namespaces.put(namespace('bank', { team: 'shop' }));
    await test.clock.advance(5_000);
    assert.equal(test.double.report('bank')?.summary.fail, 1);
    await test.stop();
  });

  it('runs without policies too, if a kind of report exists', async () => {
    const test = reporterCase();
    const service = aService({ annotations: { [`${KEY}bandwidth`]: 'much' } });
    test.services.put(service);
    await test.clock.advance(5_000);
    assert.deepEqual(
      test.double.report('shop')?.results.map(({ policy, rule, result }) => [policy, rule, result]),
      [['portcullis', 'annotation-value', 'fail']],
    );
    await test.stop();
  });

  it('finds nothing in a synced Service without violations, and in a Service of another type', async () => {
    const test = reporterCase();
    const labels = {
      'service.k8s.alibaba/loadbalancer-id': 'lb-1',
      'portcullis.io/digest': 'd',
      'portcullis.io/dirty': '',
    };
    const { metadata, ...served } = aService({ name: 'served', labels });
    const status = { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } };
    const finalizers = ['service.k8s.alibaba/resources'];
    test.services.put({ ...served, status, metadata: { ...metadata, finalizers } });
    test.services.put(aService({ name: 'inside', type: 'ClusterIP', annotations: { [`${KEY}bandwidth`]: 'much' } }));
    await test.clock.advance(5_000);
    assert.deepEqual(test.double.writes, []);
    await test.stop();
  });

  it('waits for facts about the cloud for a limited time', async () => {
    const test = reporterCase();
    test.setFacts({ freshness: { kind: 'absent' } });
    test.services.put(aService({ annotations: { [`${KEY}bandwidth`]: 'much' } }));
    await test.clock.advance(60_000);
    assert.deepEqual(test.double.writes, []);
    await test.clock.advance(120_000);
    assert.deepEqual(test.double.writes, ['create reports shop']);
    await test.stop();
  });

  const FAULTY = aService({ annotations: { [`${KEY}bandwidth`]: 'much' } });

  it('starts when recent facts about the cloud are known', async () => {
    const test = reporterCase();
    test.setFacts({ freshness: { kind: 'absent' } });
    test.services.put(FAULTY);
    await test.clock.advance(7_000);
    test.setFacts({});
    await test.clock.advance(3_000);
    assert.deepEqual(test.double.writes, ['create reports shop']);
    await test.stop();
  });

  it('starts when a kind of report exists, and again when a preferred kind exists', async () => {
    const test = reporterCase();
    for (const kind of ['reports', 'policyreports']) test.double.setState(kind, 'absent');
    test.services.put(FAULTY);
    await test.clock.advance(7_000);
    test.double.setState('policyreports', 'served');
    await test.clock.advance(3_000);
    assert.deepEqual(test.double.writes, ['create policyreports shop']);
    test.double.setState('reports', 'served');
    await test.clock.advance(3_000);
    assert.deepEqual(test.double.writes.slice(1).toSorted(), ['create reports shop', 'delete policyreports shop']);
    await test.stop();
  });
});
