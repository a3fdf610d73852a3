import assert from 'node:assert/strict';
import { PortcullisError } from '../../../../src/base/errors.ts';
import { applyCloudAccess, untilActive } from '../../../../src/local/up/install.ts';
import { aClient } from '../../../support/strict-api-client.ts';

const never = new AbortController().signal;
const invalid = new PortcullisError('Rejected', 'invalid', { code: '422' });

interface Made {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
}

/** Creates an API server whose validating and mutating webhooks become active at these dry-run requests. */
function coming(validatingAt: number, mutatingAt: number) {
  let requests = 0;
  const client = aClient({
    create: async (path, body) => {
      assert.match(path, /\?dryRun=All$/);
      requests += 1;
      const { annotations } = (body as Made).metadata;
      const isBad = Object.values(annotations).includes('nowhere');
      if (isBad && requests >= validatingAt) throw invalid;
      const rewritten = requests >= mutatingAt;
      return { metadata: { annotations: rewritten ? rename(annotations) : annotations } };
    },
  });
  return { client, count: () => requests };
}

const rename = (annotations: Readonly<Record<string, string>>): object =>
  Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key.replace('alicloud', 'alibaba-cloud'), value]),
  );

/** The sandbox must not report that it is ready before the API server calls the webhooks. */
describe('the wait for the webhooks', () => {
  it('ends after the validating webhook denies and the mutating webhook rewrites', async () => {
    const { client, count } = coming(1, 1);
    await untilActive(client, never);
    assert.equal(count(), 2);
  });

  it('continues while only one of the webhooks answers', async () => {
    const late = coming(1, 4);
    await untilActive(late.client, never);
    assert.equal(late.count(), 4);
    const later = coming(3, 1);
    await untilActive(later.client, never);
    assert.equal(later.count(), 4);
  });

  it('fails with the message of the API server on another error', async () => {
    const client = aClient({
      create: async () => {
        throw new PortcullisError('Rejected', 'services is forbidden', { code: '403' });
      },
    });
    await assert.rejects(untilActive(client, never), /services is forbidden/);
  });

  it('ends on abort', async () => {
    const { client } = coming(Infinity, Infinity);
    const interruption = new AbortController();
    const waiting = untilActive(client, interruption.signal);
    interruption.abort(new Error('interrupted'));
    await assert.rejects(waiting, /interrupted/);
  });
});

describe('the access to the cloud', () => {
  it('consists of the cloud-config without a key, and the key as a Secret', async () => {
    const applied: Record<string, unknown> = {};
    const client = aClient({ apply: async (path, body) => void (applied[path] = body) });
    await applyCloudAccess(client, { id: 'LTAIexample', secret: 'very secret' }, never);
    const [[configPath, config], [secretPath, secret]] = Object.entries(applied) as [
      [string, object],
      [string, object],
    ];
    assert.equal(configPath, '/api/v1/namespaces/portcullis-system/configmaps/portcullis-cloud-config');
    assert.ok(!JSON.stringify(config).includes('very secret'));
    assert.equal(secretPath, '/api/v1/namespaces/portcullis-system/secrets/portcullis-access-key');
    assert.match(JSON.stringify(secret), /"access-key-id":"LTAIexample","access-key-secret":"very secret"/);
  });
});
