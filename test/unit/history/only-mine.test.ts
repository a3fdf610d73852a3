import { aPicture, called, held, HERS, judges, stored } from '../../support/history/build.ts';
import { onlyMine } from '../../support/history/invariants/only-mine.ts';

const annotation = (suffix: string): string => `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-${suffix}`;
const plain = stored(undefined, held());
const reusing = stored(undefined, held({ annotations: { [annotation('id')]: HERS.id } }));
const overriding = stored(
  undefined,
  held({ annotations: { [annotation('id')]: HERS.id, [annotation('force-override-listeners')]: 'true' } }),
);
const hers = aPicture({
  ...HERS,
  listeners: [
    { port: 80, protocol: 'tcp', description: 'k8s/80/web/shop/c1' },
    { port: 443, protocol: 'tcp', description: 'hers' },
  ],
  groups: [
    { id: 'rsp-ours', name: 'k8s/80/web/shop/c1', backends: [] },
    { id: 'rsp-hers', name: 'hers', backends: [] },
  ],
});
const listener = (port: number) =>
  called('DeleteLoadBalancerListener', { target: hers, parameters: { ListenerPort: String(port) } });
const group = (action: string, id: string) => called(action, { target: hers, parameters: { VServerGroupId: id } });

judges(onlyMine, {
  keep: {
    'a Service’s own load balancer goes': [plain, ...called('DeleteLoadBalancer', { target: aPicture() })],
    'its own parts of a reused one go': [reusing, ...listener(80), ...group('DeleteVServerGroup', 'rsp-ours')],
    'a listener goes that it was given': [overriding, ...listener(443)],
    'backends go from a group of hers': [reusing, ...group('RemoveVServerGroupBackendServers', 'rsp-hers')],
    'it names another load balancer meanwhile': [
      reusing,
      stored(held({ annotations: { [annotation('id')]: HERS.id } }), held()),
      ...listener(80),
    ],
    'a person changes her own': [plain, ...called('DeleteLoadBalancer', { target: hers, userAgent: 'test' })],
  },
  break: {
    'a load balancer is changed that nobody names': [plain, ...called('SetLoadBalancerName', { target: hers })],
    'a reused load balancer is deleted': [reusing, ...called('DeleteLoadBalancer', { target: hers })],
    'a listener of hers is deleted': [reusing, ...listener(443)],
    'a group of hers is deleted': [reusing, ...group('DeleteVServerGroup', 'rsp-hers')],
  },
});
