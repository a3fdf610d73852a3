import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf, writeVolume, type VolumeSource } from '../../../../src/local/kubelet/volumes.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const bytes = (files: Readonly<Record<string, string>>): ReadonlyMap<string, Buffer> =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
const texts = (files: ReadonlyMap<string, Buffer> | undefined): Record<string, string> | undefined =>
  files && Object.fromEntries([...files].map(([path, content]) => [path, content.toString()]));

const SOURCE: VolumeSource = {
  secret: (name) => (name === 'tls' ? bytes({ 'tls.crt': 'C', 'tls.key': 'K' }) : undefined),
  configMap: (name) => (name === 'config' ? bytes({ 'cloud.conf': '{}' }) : undefined),
  token: (audience, seconds) => `token for ${audience ?? 'the API'} of ${seconds} s`,
};

/** The processes reload mounted files, so the sandbox must switch them atomically, like a kubelet. */
describe('the files of a volume', () => {
  it('are the keys of a Secret', () => {
    assert.deepEqual(texts(filesOf({ name: 'v', secret: { secretName: 'tls' } }, SOURCE)), {
      'tls.crt': 'C',
      'tls.key': 'K',
    });
  });

  it('are the listed items at their paths', () => {
    const secret = {
      secretName: 'tls',
      items: [
        { key: 'tls.key', path: 'private/key.pem' },
        { key: 'gone', path: 'x' },
      ],
    };
    assert.deepEqual(texts(filesOf({ name: 'v', secret }, SOURCE)), { 'private/key.pem': 'K' });
  });

  it('of a projection are the files of all its sources', () => {
    const projected = {
      sources: [
        { configMap: { name: 'config' } },
        { serviceAccountToken: { path: 'token', audience: 'sts', expirationSeconds: 600 } },
        { secret: { name: 'tls', items: [{ key: 'tls.crt', path: 'ca.crt' }] } },
      ],
    };
    assert.deepEqual(texts(filesOf({ name: 'v', projected }, SOURCE)), {
      'cloud.conf': '{}',
      token: 'token for sts of 600 s',
      'ca.crt': 'C',
    });
  });

  it('are none for an empty folder, and for a missing optional object', () => {
    assert.equal(filesOf({ name: 'v', emptyDir: {} }, SOURCE)?.size, 0);
    assert.equal(filesOf({ name: 'v', configMap: { name: 'gone', optional: true } }, SOURCE)?.size, 0);
  });

  it('are unknown while an object is missing, alone or in a projection', () => {
    assert.equal(filesOf({ name: 'v', secret: { secretName: 'gone' } }, SOURCE), undefined);
    const projected = { sources: [{ configMap: { name: 'config' } }, { secret: { name: 'gone' } }] };
    assert.equal(filesOf({ name: 'v', projected }, SOURCE), undefined);
  });

  it('of another type of volume are rejected', () => {
    assert.throws(
      () => filesOf({ name: 'v', hostPath: { path: '/' } }, SOURCE),
      /volume v has a kind that the sandbox does not support/,
    );
  });
});

describe('a written volume', () => {
  it('exposes its files through a symlink that is switched atomically', async () => {
    using folder = temporaryFolder();
    assert.equal(await writeVolume(folder.path, bytes({ 'tls.crt': 'old', 'tls.key': 'old' })), true);
    const before = readlinkSync(join(folder.path, '..data'));
    assert.equal(readlinkSync(join(folder.path, 'tls.crt')), join('..data', 'tls.crt'));
    assert.equal(await writeVolume(folder.path, bytes({ 'tls.crt': 'new', 'tls.key': 'new' })), true);
    assert.notEqual(readlinkSync(join(folder.path, '..data')), before);
    assert.equal(readFileSync(join(folder.path, 'tls.crt'), 'utf8'), 'new');
    assert.ok(!readdirSync(folder.path).includes(before), 'the old files are gone');
  });

  it('stays unchanged without a difference', async () => {
    using folder = temporaryFolder();
    await writeVolume(folder.path, bytes({ 'a/b': '1' }));
    const before = readlinkSync(join(folder.path, '..data'));
    assert.equal(await writeVolume(folder.path, bytes({ 'a/b': '1' })), false);
    assert.equal(readlinkSync(join(folder.path, '..data')), before);
  });

  it('loses removed files, and gets new files', async () => {
    using folder = temporaryFolder();
    await writeVolume(folder.path, bytes({ old: '1', kept: '2' }));
    await writeVolume(folder.path, bytes({ kept: '2', 'deep/new': '3' }));
    assert.deepEqual(
      readdirSync(folder.path)
        .filter((name) => !name.startsWith('..'))
        .sort(),
      ['deep', 'kept'],
    );
    assert.equal(readFileSync(join(folder.path, 'deep', 'new'), 'utf8'), '3');
  });

  it('is repaired after a killed writer', async () => {
    using folder = temporaryFolder();
    await writeVolume(folder.path, bytes({ a: '1' }));
    await writeVolume(join(folder.path, '..2'), bytes({ half: 'x' }));
    await writeVolume(folder.path, bytes({ a: '2' }));
    assert.equal(readFileSync(join(folder.path, 'a'), 'utf8'), '2');
    assert.deepEqual(readdirSync(join(folder.path, '..data')), ['a']);
  });

  it('is readable only for its owner', async () => {
    using folder = temporaryFolder();
    await writeVolume(folder.path, bytes({ 'tls.key': 'K' }));
    assert.equal(statSync(join(folder.path, 'tls.key')).mode & 0o077, 0);
  });
});
