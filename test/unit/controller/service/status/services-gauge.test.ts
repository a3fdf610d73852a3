import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { servicesGauge } from '../../../../../src/controller/service/status/services-gauge.ts';
import { keyOf, type Service } from '../../../../../src/base/kubernetes-objects.ts';
import { LOAD_BALANCER_READY } from '../../../../../src/inventory/load-balancer-ready-condition.ts';
import { aService } from '../../../../support/service.ts';
import { watchedDouble } from '../../../../support/watched-cache.ts';

const condition = (status: 'True' | 'False', reason: string, type = LOAD_BALANCER_READY) => ({
  ...{ type, status, reason, message: 'x', lastTransitionTime: '2026-01-02T03:04:05Z' },
});
const withCondition = (service: Service, ...input: Parameters<typeof condition>): Service => ({
  ...service,
  status: { conditions: [condition(...input)] },
});

const NO_SERVICE = ['true EnsuredLoadBalancer: 0'];

/** Dashboards show with this gauge how many Services are ready, and why other Services are not. */
describe('the gauge of Services', () => {
  const services = watchedDouble<Service>();
  const gauge = servicesGauge(new Registry(), services);
  const counted = async (): Promise<readonly string[]> =>
    (await gauge.get()).values.map(({ labels, value }) => `${labels.ready} ${labels.reason}: ${value}`);
  afterEach(() => {
    for (const service of [...services.values()]) services.remove(keyOf(service));
  });

  const web = aService();
  const cases: Readonly<Record<string, readonly [Service, readonly string[]]>> = {
    'counts a ready Service': [withCondition(web, 'True', 'EnsuredLoadBalancer'), ['true EnsuredLoadBalancer: 1']],
    'counts a Service that is not ready by its reason': [
      withCondition(web, 'False', 'QuotaExceeded'),
      [...NO_SERVICE, 'false QuotaExceeded: 1'],
    ],
    'counts a Service without a condition as pending': [web, [...NO_SERVICE, 'unknown Pending: 1']],
    'ignores conditions of other controllers': [
      withCondition(web, 'False', 'Other', 'Progressing'),
      [...NO_SERVICE, 'unknown Pending: 1'],
    ],
    'counts a Service that is being deleted as cleanup': [
      {
        ...withCondition(web, 'True', 'EnsuredLoadBalancer'),
        metadata: { ...web.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' },
      },
      [...NO_SERVICE, 'unknown Cleanup: 1'],
    ],
    'ignores other types': [aService({ type: 'ClusterIP' }), NO_SERVICE],
  };
  for (const [title, [service, expected]] of Object.entries(cases)) {
    it(title, async () => {
      services.put(service);
      assert.deepEqual(await counted(), expected);
    });
  }

  it('loses the series of a reason with the last Service of that reason', async () => {
    services.put(withCondition(web, 'False', 'Invalid'));
    assert.deepEqual(await counted(), [...NO_SERVICE, 'false Invalid: 1']);
    services.remove(keyOf(web));
    assert.deepEqual(await counted(), NO_SERVICE);
  });
});
