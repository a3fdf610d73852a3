import assert from 'node:assert/strict';
import { aSimulator, callerOf, type Body, type Parameters } from '../../support/simulator.ts';

const WORLD = {
  certificates: [
    { id: 'cert-1', name: 'one', commonName: 'example.com', expiresAt: '2030-01-01T00:00:00Z' },
    { id: 'cert-2', name: 'old', commonName: 'example.org', expiresAt: '2020-01-01T00:00:00Z' },
    { id: 'ca-1', kind: 'ca' as const, commonName: 'root', expiresAt: '2040-01-01T00:00:00Z' },
  ],
  accessControlLists: [{ id: 'acl-1', name: 'list', entries: { '10.0.0.0/8': 'inside' } }],
  loadBalancers: [
    {
      id: 'lb-1',
      listeners: [
        {
          port: 443,
          protocol: 'https' as const,
          attributes: { ServerCertificateId: 'cert-1', AclStatus: 'on', AclType: 'white', AclId: 'acl-1' },
        },
      ],
    },
  ],
};
const HTTPS: Parameters = { LoadBalancerId: 'lb-1', ListenerPort: 443 };
const bench = () => callerOf(aSimulator({ world: WORLD }));

/** Tests of HTTPS and access control rely on the simulator, which must act as the API documentation describes. */
describe('certificates of the simulator', () => {
  it('have an expiry, and are absent for an unknown id', async () => {
    const { ok } = bench();
    const found = async (ServerCertificateId: string): Promise<Body[]> =>
      (
        (await ok('DescribeServerCertificates', { ServerCertificateId }))['ServerCertificates'] as {
          ServerCertificate: Body[];
        }
      ).ServerCertificate;
    const [old] = await found('cert-2');
    assert.deepEqual([old?.['ExpireTimeStamp'], old?.['ExpireTime']], [Date.parse('2020-01-01'), '2020-01-01T00:00Z']);
    assert.deepEqual(await found('cert-9'), []);
    assert.deepEqual(await found('ca-1'), []);
  });

  it('are not deleted while a listener uses them', async () => {
    const { ok, rejected } = bench();
    assert.equal(
      await rejected('DeleteServerCertificate', { ServerCertificateId: 'cert-1' }),
      'CertificateAndPrivateKeyIsRefered',
    );
    await ok('DeleteServerCertificate', { ServerCertificateId: 'cert-2' });
    assert.equal(
      await rejected('DeleteServerCertificate', { ServerCertificateId: 'cert-2' }),
      '404 ServerCertificateId.NotFound',
    );
  });

  it('must be readable at upload', async () => {
    assert.equal(
      await bench().rejected('UploadServerCertificate', { ServerCertificate: 'text', PrivateKey: 'k' }),
      'KeyFormatError',
    );
  });
});

describe('domain extensions of the simulator', () => {
  const add = (domain: string): Parameters => ({ ...HTTPS, Domain: domain, ServerCertificateId: 'cert-2' });

  it('are created, changed, listed and deleted', async () => {
    const { ok } = bench();
    const { DomainExtensionId } = await ok('CreateDomainExtension', add('a.example.com'));
    const one = { DomainExtensionId: String(DomainExtensionId) };
    await ok('SetDomainExtensionAttribute', { ...one, ServerCertificateId: 'cert-1' });
    const list = (await ok('DescribeDomainExtensions', HTTPS))['DomainExtensions'] as { DomainExtension: Body[] };
    assert.deepEqual(list.DomainExtension, [{ ...one, Domain: 'a.example.com', ServerCertificateId: 'cert-1' }]);
    const listener = await ok('DescribeLoadBalancerHTTPSListenerAttribute', HTTPS);
    assert.deepEqual(
      (listener['DomainExtensions'] as { DomainExtension: Body[] }).DomainExtension,
      list.DomainExtension,
    );
    await ok('DeleteDomainExtension', one);
    assert.deepEqual(await ok('DescribeDomainExtensions', HTTPS).then((answer) => answer['DomainExtensions']), {
      DomainExtension: [],
    });
  });

  it('reject a repeated domain, a fourth domain, an unknown certificate and an unknown id', async () => {
    const { ok, rejected } = bench();
    await ok('CreateDomainExtension', add('a.example.com'));
    assert.equal(await rejected('CreateDomainExtension', add('a.example.com')), 'DomainExist');
    assert.equal(
      await rejected('CreateDomainExtension', { ...add('b.example.com'), ServerCertificateId: 'x' }),
      'CertificateNotExist',
    );
    await ok('CreateDomainExtension', add('b.example.com'));
    await ok('CreateDomainExtension', add('c.example.com'));
    assert.equal(await rejected('CreateDomainExtension', add('d.example.com')), 'OverQuota');
    assert.equal(
      await rejected('DeleteDomainExtension', { DomainExtensionId: 'de-9' }),
      'InvalidParameter.DomainExtensionId',
    );
  });
});

describe('access control lists of the simulator', () => {
  const entries = (...ranges: string[]): string => JSON.stringify(ranges.map((entry) => ({ entry, comment: 'c' })));

  it('are created, filled, read and emptied', async () => {
    const { ok } = bench();
    const list = { AclId: String((await ok('CreateAccessControlList', { AclName: 'new' }))['AclId']) };
    await ok('AddAccessControlListEntry', { ...list, AclEntrys: entries('10.0.0.0/8', '192.0.2.1/32') });
    await ok('AddAccessControlListEntry', { ...list, AclEntrys: entries('10.0.0.0/8') });
    await ok('RemoveAccessControlListEntry', { ...list, AclEntrys: entries('10.0.0.0/8') });
    const one = await ok('DescribeAccessControlListAttribute', list);
    assert.deepEqual(one['AclEntrys'], { AclEntry: [{ AclEntryIP: '192.0.2.1/32', AclEntryComment: 'c' }] });
    assert.equal((await ok('DescribeAccessControlLists', { AclName: 'ne' }))['TotalCount'], 1);
  });

  it('contain the listeners that use them, and stay while in use', async () => {
    const { ok, rejected } = bench();
    const one = await ok('DescribeAccessControlListAttribute', { AclId: 'acl-1' });
    assert.deepEqual(one['RelatedListeners'], {
      RelatedListener: [{ LoadBalancerId: 'lb-1', ListenerPort: 443, Protocol: 'https', AclType: 'white' }],
    });
    assert.equal(await rejected('DeleteAccessControlList', { AclId: 'acl-1' }), 'AclInUsed');
  });

  const rejections: Record<string, [action: string, parameters: Parameters, code: string]> = {
    'a name in use': ['CreateAccessControlList', { AclName: 'list' }, 'AclNameExist'],
    'an unknown list': ['DescribeAccessControlListAttribute', { AclId: 'acl-9' }, 'AclNotExist'],
    'an entry that is not a range': [
      'AddAccessControlListEntry',
      { AclId: 'acl-1', AclEntrys: entries('here') },
      'IpListItemFormatError',
    ],
    'an entry of the other IP version': [
      'AddAccessControlListEntry',
      { AclId: 'acl-1', AclEntrys: entries('2408::/32') },
      'IpListItemFormatError',
    ],
    'a removal without a match': ['RemoveAccessControlListEntry', { AclId: 'acl-1', AclEntrys: '[]' }, 'AclEntryEmpty'],
  };
  for (const [what, [action, parameters, code]] of Object.entries(rejections)) {
    it(`reject ${what} with ${code}`, async () => assert.equal(await bench().rejected(action, parameters), code));
  }
});
