import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import type { AccessKey, CredentialSource } from '../../../src/alibaba/credentials/credential-types.ts';
import { createCredentials as chain } from '../../../src/alibaba/credentials/chain.ts';
import { fromCloudConfig } from '../../../src/alibaba/credentials/cloud-config.ts';
import { fromEnvironment } from '../../../src/alibaba/credentials/environment.ts';
import { fromSecretFiles } from '../../../src/alibaba/credentials/secret-files.ts';

const createCredentials = (sources: readonly CredentialSource[], warn: (message: string) => void) =>
  chain(sources, { warn, clock: systemClock });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const source = (name: string, ...answers: (AccessKey | Error | undefined)[]): CredentialSource => ({
  name,
  read: async () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  },
});
const KEY = { id: 'first-id', secret: 'first-secret' };
const OTHER = { id: 'other-id', secret: 'other-secret', token: 'other-token' };
const quiet = () => undefined;

/** A wrong key stops the controller, so users must learn which sources of keys were tried, and no key may reach a log. */
describe('access keys', () => {
  it('come from the first source that has a key', async () => {
    const credentials = createCredentials([source('none', undefined), source('one', KEY), source('two', OTHER)], quiet);
    assert.deepEqual(await credentials.current(), KEY);
  });

  it('that do not exist cause an error with the sources that were tried', async () => {
    const credentials = createCredentials([source('here', undefined), source('there', undefined)], quiet);
    await assert.rejects(credentials.current(), {
      reason: 'Unauthorized',
      message:
        /^no access key found in: here, there; assign a RAM role .*, or set accessKeyID and accessKeySecret in the cloud-config file\. Instead, /,
    });
  });

  it('do not come from a later source if the configured source is broken', async () => {
    const credentials = createCredentials([source('here', new Error('half a key')), source('there', KEY)], quiet);
    await assert.rejects(credentials.current(), { reason: 'Unauthorized', message: 'here: half a key' });
  });

  it('stay in use while their source cannot be read, which is logged once', async () => {
    const warnings: string[] = [];
    const credentials = createCredentials([source('here', KEY, new Error('unreadable'))], (text) =>
      warnings.push(text),
    );
    await credentials.current();
    assert.deepEqual(await credentials.current(), KEY);
    assert.deepEqual(await credentials.current(), KEY);
    assert.deepEqual(warnings, ['here: unreadable; the previous access key stays in use']);
  });

  it('are the new keys from the next call on after a rotation, and old keys are still redacted', async () => {
    const credentials = createCredentials([source('here', KEY, KEY, OTHER)], quiet);
    await credentials.current();
    await credentials.current();
    assert.deepEqual(await credentials.current(), OTHER);
    assert.deepEqual(
      [...credentials.secrets()],
      ['other-id', 'other-secret', 'other-token', 'first-id', 'first-secret'],
    );
  });

  describe('from the environment', () => {
    const read = (environment: Record<string, string>) =>
      createCredentials(fromEnvironment(environment), quiet).current();

    it('come from the variables of the cloud tools, or else from those of the existing controller', async () => {
      const common = { ALIBABA_CLOUD_ACCESS_KEY_ID: 'a', ALIBABA_CLOUD_ACCESS_KEY_SECRET: 'b' };
      const own = { ACCESS_KEY_ID: 'c', ACCESS_KEY_SECRET: 'd' };
      assert.deepEqual(await read({ ...common, ...own, ALIBABA_CLOUD_SECURITY_TOKEN: 't' }), {
        id: 'a',
        secret: 'b',
        token: 't',
      });
      assert.deepEqual(await read({ ...common, ...own }), { id: 'a', secret: 'b' });
      assert.deepEqual(await read(own), { id: 'c', secret: 'd' });
    });

    it('are rejected if only half of them is set', async () => {
      await assert.rejects(read({ ALIBABA_CLOUD_ACCESS_KEY_ID: 'a', ACCESS_KEY_ID: 'c', ACCESS_KEY_SECRET: 'd' }), {
        message: /ALIBABA_CLOUD_ACCESS_KEY_ID is set and ALIBABA_CLOUD_ACCESS_KEY_SECRET is not: set both or neither/,
      });
      await assert.rejects(read({ ACCESS_KEY_SECRET: 'd' }), {
        message: /ACCESS_KEY_SECRET is set and ACCESS_KEY_ID is not/,
      });
    });
  });

  describe('from files', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'credentials-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    it('of a cloud-config file change with the file, and stay while the file is invalid or missing', async () => {
      const path = join(folder, 'cloud.conf');
      const write = async (id: string, secret: string) => {
        await writeFile(
          `${path}.new`,
          JSON.stringify({ Global: { accessKeyID: base64(id), accessKeySecret: base64(secret) } }),
        );
        await rename(`${path}.new`, path);
      };
      const warnings: string[] = [];
      const credentials = createCredentials([fromCloudConfig(path)], (text) => warnings.push(text));
      await write('id-1', 'secret-1');
      assert.deepEqual(await credentials.current(), { id: 'id-1', secret: 'secret-1' });
      await write('id-2', 'secret-2');
      assert.deepEqual(await credentials.current(), { id: 'id-2', secret: 'secret-2' });
      await writeFile(path, '{"Global": {"accessKeyID": "');
      assert.deepEqual(await credentials.current(), { id: 'id-2', secret: 'secret-2' });
      await rm(path);
      assert.deepEqual(await credentials.current(), { id: 'id-2', secret: 'secret-2' });
      assert.equal(warnings.length, 2);
    });

    it('of a cloud-config file without keys are absent, even if the file has unknown fields', async () => {
      const path = join(folder, 'cloud.conf');
      await writeFile(path, '{"Global": {"clusterID": "c1"}}');
      const source = fromCloudConfig(path);
      assert.equal(await source.read(), undefined);
      await writeFile(path, '{"Global": {"clusterid": "c1", "regoin": ""}}');
      assert.equal(await source.read(), undefined);
      const written = { accessKeyID: base64('id-1'), accessKeySecret: base64('secret-1') };
      await writeFile(path, JSON.stringify({ Global: written }));
      assert.deepEqual(await source.read(), { id: 'id-1', secret: 'secret-1' });
    });

    it('of a mounted Secret are read consistently from the version that the link points to', async () => {
      const version = async (name: string) => {
        await mkdir(join(folder, name));
        await Promise.all([
          writeFile(join(folder, name, 'access-key-id'), `id-${name}\n`),
          writeFile(join(folder, name, 'access-key-secret'), `secret-${name}\n`),
        ]);
      };
      await Promise.all([version('v1'), version('v2')]);
      await symlink('v1', join(folder, '..data'));
      await symlink('..data/access-key-id', join(folder, 'access-key-id'));
      await symlink('..data/access-key-secret', join(folder, 'access-key-secret'));
      const secret = fromSecretFiles(folder);
      assert.deepEqual(await secret.read(), { id: 'id-v1', secret: 'secret-v1' });
      await symlink('v2', join(folder, '..data.new'));
      await rename(join(folder, '..data.new'), join(folder, '..data'));
      assert.deepEqual(await secret.read(), { id: 'id-v2', secret: 'secret-v2' });
    });

    it('in a plain folder can have a token, can be absent, and are rejected if only half exists', async () => {
      const secret = fromSecretFiles(folder);
      assert.equal(await secret.read(), undefined);
      await writeFile(join(folder, 'access-key-id'), 'id');
      await assert.rejects(secret.read(), { message: /file access-key-id is set and file access-key-secret is not/ });
      await writeFile(join(folder, 'access-key-secret'), 'secret');
      await writeFile(join(folder, 'security-token'), 'token');
      assert.deepEqual(await secret.read(), { id: 'id', secret: 'secret', token: 'token' });
    });
  });
});
