import assert from 'node:assert/strict';
import { CloudRejection } from '../../../src/alibaba/cloud-call-types.ts';
import type { DomainExtensionId } from '../../../src/clb/model/ids.ts';
import { aCall } from '../../support/scripted-cloud.ts';
import { lb, scriptedSlb } from '../../support/scripted-slb.ts';

const RegionId = 'cn-hangzhou';
const DE = 'de-1' as DomainExtensionId;

/** Covers certificates and additional domains, each with its calls and its errors. */
describe('certificates', () => {
  const listed = (...items: readonly object[]) => ({ ServerCertificates: { ServerCertificate: items } });
  const answers = {
    'are read with their expiry': [
      listed({ ServerCertificateId: 'c-1', ExpireTimeStamp: 1_893_456_000_000 }),
      { id: 'c-1', expiresAtMs: 1_893_456_000_000 },
    ],
    'can lack an expiry': [listed({ ServerCertificateId: 'c-1', ExpireTimeStamp: 'soon' }), { id: 'c-1' }],
    'are absent if none has the id': [listed(), undefined],
    'are absent if the response has only other ids': [listed({ ServerCertificateId: 'c-2' }), undefined],
  } as const;
  for (const [title, [answer, expected]] of Object.entries(answers)) {
    it(title, async () => {
      const { clb, sent } = scriptedSlb(answer);
      assert.deepEqual(await clb.readCertificate('c-1', aCall()), expected);
      assert.deepEqual(sent, [
        { action: 'DescribeServerCertificates', parameters: { RegionId, ServerCertificateId: 'c-1' } },
      ]);
    });
  }
});

describe('additional domains of a listener', () => {
  it('are listed by load balancer and port', async () => {
    const item = { DomainExtensionId: 'de-1', Domain: 'a.example', ServerCertificateId: 'c-1' };
    const { clb, sent } = scriptedSlb({ DomainExtensions: { DomainExtension: [item] } });
    assert.deepEqual(await clb.listDomainExtensions(lb('lb-1'), 443, aCall()), [
      { id: 'de-1', domain: 'a.example', certificateId: 'c-1' },
    ]);
    const parameters = { RegionId, LoadBalancerId: 'lb-1', ListenerPort: '443' };
    assert.deepEqual(sent, [{ action: 'DescribeDomainExtensions', parameters }]);
  });

  it('are created, with their id as result', async () => {
    const { clb, sent } = scriptedSlb({ DomainExtensionId: 'de-1', ListenerPort: 443 });
    const wanted = { domain: 'a.example', certificateId: 'c-1' };
    assert.equal(await clb.createDomainExtension(lb('lb-1'), 443, wanted, aCall()), 'de-1');
    const parameters = { LoadBalancerId: 'lb-1', ListenerPort: '443', Domain: 'a.example', ServerCertificateId: 'c-1' };
    assert.deepEqual(sent, [{ action: 'CreateDomainExtension', parameters: { RegionId, ...parameters } }]);
  });

  it('are created with an unknown outcome if the response has no id', async () => {
    const { clb } = scriptedSlb({ RequestId: 'R' });
    const wanted = { domain: 'a.example', certificateId: 'c-1' };
    await assert.rejects(clb.createDomainExtension(lb('lb-1'), 443, wanted, aCall()), { reason: 'OutcomeUnknown' });
  });

  it('get another certificate', async () => {
    const { clb, sent } = scriptedSlb();
    await clb.setDomainExtension(lb('lb-1'), DE, 'c-2', aCall());
    const parameters = { RegionId, DomainExtensionId: 'de-1', ServerCertificateId: 'c-2' };
    assert.deepEqual(sent, [{ action: 'SetDomainExtensionAttribute', parameters }]);
  });

  it('are deleted, even if they do not exist', async () => {
    const missing = new CloudRejection('none', { code: 'InvalidParameter.DomainExtensionId', status: 400 });
    const { clb, sent } = scriptedSlb({}, missing);
    await clb.deleteDomainExtension(lb('lb-1'), DE, aCall());
    await clb.deleteDomainExtension(lb('lb-1'), DE, aCall());
    const call = { action: 'DeleteDomainExtension', parameters: { RegionId, DomainExtensionId: 'de-1' } };
    assert.deepEqual(sent, [call, call]);
  });
});
