import assert from 'node:assert/strict';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { managedService } from '../../../src/plan-command/stored-service-plan.ts';
import { aService } from '../../support/service.ts';

const WEB = aService();
const CLASS: Service = { ...aService({ name: 'nlb' }), spec: { type: 'LoadBalancer', loadBalancerClass: 'x/nlb' } };
const SERVICES = [
  WEB,
  aService({ name: 'web', namespace: 'team' }),
  aService({ name: 'db', type: 'ClusterIP' }),
  CLASS,
];

/** `portcullis graph` must find the Service, or report why the Service has no load balancer. */
describe('the Service of portcullis graph', () => {
  it('is found by its name and namespace', () => {
    assert.equal(managedService('web', 'shop', SERVICES), WEB);
  });

  const errors: Readonly<Record<string, readonly [name: string, namespace: string, message: string]>> = {
    'names the namespaces that have the Service': [
      'web',
      'default',
      'Service default/web does not exist; a Service of this name exists in shop, team: select the namespace with -n',
    ],
    'names a similar Service': ['wbe', 'shop', 'Service shop/wbe does not exist (did you mean web?)'],
    'suggests no name if no Service is similar': ['checkout', 'shop', 'Service shop/checkout does not exist'],
    'names the type of a Service without a load balancer': [
      'db',
      'shop',
      'Service shop/db has no load balancer of Portcullis: its type is ClusterIP',
    ],
    'names the class of another controller': [
      'nlb',
      'shop',
      'Service shop/nlb has no load balancer of Portcullis: spec.loadBalancerClass "x/nlb" selects another controller',
    ],
  };
  for (const [title, [name, namespace, message]] of Object.entries(errors))
    it(`has an error that ${title}`, () => {
      assert.throws(() => managedService(name, namespace, SERVICES), { message });
    });

  it('can have another type if its load balancer is not cleaned up yet', () => {
    const { metadata } = WEB;
    const service: Service = {
      ...aService({ type: 'ClusterIP' }),
      metadata: { ...metadata, finalizers: ['service.k8s.alibaba/resources'] },
    };
    assert.equal(managedService('web', 'shop', [service]), service);
  });
});
