import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findRecord,
  partsIn,
  readRecord,
  sandboxFolder,
  writeRecord,
  type SandboxRecord,
} from '../../../src/local/sandbox-record.ts';
import { temporaryFolder } from '../../support/folder.ts';

const record = (folder: string): SandboxRecord => ({
  name: 'default',
  folder,
  state: 'ready',
  without: [],
  address: { server: 'https://127.0.0.1:1', certificateAuthority: '' },
  ports: { webhook: { https: 2, health: 3 }, controller: { health: 4 } },
  egressSocket: join(folder, 'egress.sock'),
  environment: {},
});

/** All commands find a sandbox by its record. */
describe('a sandbox', () => {
  const good = { 'the default name': 'default', 'a single letter': 'a', 'a name with digits and hyphens': 'kube-1-36' };
  for (const [title, name] of Object.entries(good)) {
    it(`has a folder for ${title}`, () => assert.equal(sandboxFolder('/repo', name), `/repo/.sandbox/${name}`));
  }

  const bad = {
    'an empty name': '',
    'a path to a parent folder': '../x',
    'capital letters': 'Mine',
    'a hyphen at the start': '-a',
    'a hyphen at the end': 'a-',
    'a long name': 'a'.repeat(33),
  };
  for (const [title, name] of Object.entries(bad)) {
    it(`is rejected for ${title}`, () => {
      assert.throws(() => sandboxFolder('/repo', name), {
        reason: 'InvalidConfiguration',
        message:
          /is not a valid name: use up to 32 lower-case letters, digits and hyphens, with no hyphen at the start or end, /,
      });
    });
  }

  it('has a record in its folder, which only its owner can read', () => {
    using folder = temporaryFolder();
    assert.equal(findRecord(folder.path), undefined);
    writeRecord(record(folder.path));
    assert.deepEqual(readRecord(folder.path), record(folder.path));
    assert.equal(statSync(join(folder.path, 'sandbox.json')).mode & 0o077, 0);
  });

  it('with a truncated record is reported as missing', () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'sandbox.json'), '{"name":');
    assert.throws(() => readRecord(folder.path), /no sandbox found in .*: start a sandbox with "make up"/);
  });
});

describe('the variable WITHOUT', () => {
  const rows: Record<string, { readonly text: string; readonly parts: readonly string[] }> = {
    'omits nothing if it is empty': { text: '', parts: [] },
    'omits the component of a single word': { text: 'controller', parts: ['controller'] },
    'omits both components, in any order and with spaces': {
      text: ' controller, webhook',
      parts: ['webhook', 'controller'],
    },
  };
  for (const [title, { text, parts }] of Object.entries(rows)) {
    it(title, () => assert.deepEqual(partsIn(text), parts));
  }

  it('is rejected with the valid words in the message if a word is unknown', () => {
    assert.throws(() => partsIn('webhook,kwok'), /contains "kwok", which cannot be omitted: use webhook, controller/);
  });
});
