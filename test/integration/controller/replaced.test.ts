import assert from 'node:assert/strict';
import { annotated, apply, changes, loadBalancers, now, patch, running, standing } from '../../support/running.ts';

const CERTIFICATES = { certificates: [{ id: 'cert-1', commonName: 'a', expiresAt: '2030-01-02T03:04:05Z' }] };
const TWELVE = Array.from({ length: 12 }, (_, index) => index);
const tags = (prefix: string): string => TWELVE.map((index) => `${prefix}${index}=v`).join(',');
const domains = (...names: readonly string[]): string => names.map((name) => `${name}.example.com:cert-1`).join(',');

describe('what is replaced where there is no room for more', () => {
  it('is exchanged: tags', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ 'additional-resource-tags': tags('a') }) });
    const since = now(run);
    await patch(run, { metadata: { annotations: annotated({ 'additional-resource-tags': tags('b') }) } });
    const carried = Object.keys(loadBalancers(run)[0]?.tags ?? {});
    assert.deepEqual(
      carried.filter((key) => /^[ab]/.test(key) && key !== 'ack.aliyun.com').sort(),
      TWELVE.map((index) => `b${index}`).sort(),
    );
    assert.deepEqual(changes(run, since), ['TagResources', 'UntagResources', 'TagResources']);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('is exchanged: domains of a listener, one by one', async () => {
    const run = await running({}, CERTIFICATES);
    const https = { 'protocol-port': 'https:443', 'cert-id': 'cert-1' };
    const annotations = annotated({ ...https, 'domain-extensions': domains('a', 'b', 'c') });
    await apply(run, { ports: [443], annotations });
    const since = now(run);
    await patch(run, { metadata: { annotations: annotated({ 'domain-extensions': domains('a', 'd', 'e') }) } });
    assert.deepEqual(changes(run, since), [
      ...['CreateDomainExtension', 'DeleteDomainExtension', 'CreateDomainExtension'],
      ...['CreateDomainExtension', 'DeleteDomainExtension', 'CreateDomainExtension'],
    ]);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });
});
