import assert from 'node:assert/strict';
import { hashedText, serviceHash } from '../../../../../src/controller/service/state/go-hash.ts';
import type { Service } from '../../../../../src/base/kubernetes-objects.ts';

const PREFIX = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

const service = (
  port: object,
  externalTrafficPolicy: string,
  annotations: Record<string, string>,
): Pick<Service, 'metadata' | 'spec'> => ({
  metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1', annotations },
  spec: { type: 'LoadBalancer', externalTrafficPolicy, ports: [port] } as Service['spec'] & object,
});

const tcp = { name: 'tcp', protocol: 'TCP', port: 80, targetPort: 80, nodePort: 80 };
const http = { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080, nodePort: 31080 };

/** The Alibaba Cloud Controller Manager compares this label, so after a migration back, another hash would make it change every Service. */
describe('the hash label of the existing controller', () => {
  const cases: Record<string, [Pick<Service, 'metadata' | 'spec'>, string]> = {
    'with one annotation and policy Local': [
      service(tcp, 'Local', { [`${PREFIX}name`]: 'slb-base' }),
      'eb3e270a50c988bd1bd47e73e6db8f2b596136e1ede1da5bf3b5b192',
    ],
    'without annotations and policy Cluster': [
      service(http, 'Cluster', {}),
      'adf794ffd55661a60b05bbb7e065781fa0aacbc27dfec0b8cdeb82a0',
    ],
    'with two annotations': [
      service(http, 'Cluster', { [`${PREFIX}address-type`]: 'intranet', [`${PREFIX}scheduler`]: 'wrr' }),
      '81bd27b80fd9c010d22905b26a7e1903619e0c706fb1886b4df6604b',
    ],
  };
  for (const [title, [object, hash]] of Object.entries(cases)) {
    it(`equals the published hash ${title}`, () => assert.equal(serviceHash(object), hash));
  }

  it('omits empty values and quotes values that older YAML reads as another type', () => {
    const text = hashedText(
      service({ ...tcp, nodePort: 0 }, '', { [`${PREFIX}delete-protection`]: 'on', b: '12', c: 'a\nb\n' }),
    );
    assert.equal(
      text,
      [
        '- - name: tcp',
        '    port: 80',
        '    protocol: TCP',
        '    targetPort: 80',
        '- LoadBalancer',
        '- b: "12"',
        '  c: |',
        '    a',
        '    b',
        `  ${PREFIX}delete-protection: "on"`,
        '',
      ].join('\n'),
    );
  });
});
