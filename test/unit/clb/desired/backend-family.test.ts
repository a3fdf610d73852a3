import assert from 'node:assert/strict';
import { buildDesired } from '../../../../src/clb/desired/build.ts';
import { parseAnnotations } from '../../../../src/annotation/parse.ts';
import type { EndpointSlice, Service } from '../../../../src/base/kubernetes-objects.ts';
import { SETTINGS } from '../../../support/simulated-controller.ts';
import { aSlice } from '../../../support/simulated-cluster.ts';
import { annotation } from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const ENI = { 'service.beta.kubernetes.io/backend-type': 'eni' };
const REQUESTED = { ...ENI, [annotation('ip-version')]: 'ipv6', [annotation('backend-ip-version')]: 'IPv6' };
const DUAL = ['IPv4', 'IPv6'];

/** Returns the slice of a pod in one address family. */
const slice = (service: Service, addressType: string, address: string): EndpointSlice => ({
  ...aSlice(service, []),
  addressType,
  endpoints: [{ addresses: [address], nodeName: 'n1' }],
});

function addresses(annotations: Readonly<Record<string, string>>, ipFamilies: readonly string[], isOpen = true) {
  const plain = aService({ annotations });
  const service: Service = { ...plain, spec: { ...plain.spec, ipFamilies } };
  const { groups } = buildDesired({
    service,
    options: parseAnnotations(annotations).options,
    slices: [slice(service, 'IPv4', '10.1.1.1'), slice(service, 'IPv6', '2001:db8::1')],
    nodes: { nodes: [], virtual: new Set(), unresolved: [] },
    settings: { ...SETTINGS, disabledIpv6Gates: isOpen ? [] : ['IPv6DualStack'] },
  });
  return groups.flatMap(({ backends }) => backends.map((backend) => (backend.type === 'eni' ? backend.serverIp : '')));
}

/** A backend of the wrong address family would receive no traffic. */
describe('the address family of pods as backends', () => {
  const cases: Record<string, [actual: readonly string[], expected: string]> = {
    'is IPv4 by default': [addresses(ENI, DUAL), '10.1.1.1'],
    'is IPv4 even if the Service has IPv6 first': [addresses(ENI, ['IPv6', 'IPv4']), '10.1.1.1'],
    'is IPv6 if load balancer and backends are to be IPv6': [addresses(REQUESTED, DUAL), '2001:db8::1'],
    'is IPv4 if only the load balancer is to be IPv6': [
      addresses({ ...ENI, [annotation('ip-version')]: 'ipv6' }, DUAL),
      '10.1.1.1',
    ],
    'is IPv4 if the feature gate is disabled': [addresses(REQUESTED, DUAL, false), '10.1.1.1'],
    'is IPv6 if the Service has no other family': [addresses(ENI, ['IPv6'], false), '2001:db8::1'],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.deepEqual(actual, [expected]));
  }
});
