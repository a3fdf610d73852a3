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

describe('a sandbox', () => {
  const good = { 'of its default name': 'default', 'of one letter': 'a', 'with digits and hyphens': 'kube-1-36' };
  for (const [sentence, name] of Object.entries(good)) {
    it(`has a folder when it is ${sentence}`, () =>
      assert.equal(sandboxFolder('/repo', name), `/repo/.sandbox/${name}`));
  }

  const bad = {
    'an empty name': '',
    'a way out': '../x',
    'capital letters': 'Mine',
    'a hyphen at its end': 'a-',
    'a long name': 'a'.repeat(33),
  };
  for (const [sentence, name] of Object.entries(bad)) {
    it(`is refused for ${sentence}`, () => {
      assert.throws(() => sandboxFolder('/repo', name), {
        reason: 'InvalidConfiguration',
        message: /is not a name for a sandbox: use /,
      });
    });
  }

  it('is known from its folder, and only to its owner', () => {
    using folder = temporaryFolder();
    assert.equal(findRecord(folder.path), undefined);
    writeRecord(record(folder.path));
    assert.deepEqual(readRecord(folder.path), record(folder.path));
    assert.equal(statSync(join(folder.path, 'sandbox.json')).mode & 0o077, 0);
  });

  it('that does not exist, or whose record was cut short, is said not to be there', () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'sandbox.json'), '{"name":');
    assert.throws(() => readRecord(folder.path), /there is no sandbox in .*: start one with "make up"/);
  });
});

describe('WITHOUT', () => {
  const rows: Record<string, { readonly text: string; readonly parts: readonly string[] }> = {
    'empty leaves nothing out': { text: '', parts: [] },
    'of one word leaves that out': { text: 'controller', parts: ['controller'] },
    'of both, in any order and with spaces, leaves both out': {
      text: ' controller, webhook',
      parts: ['webhook', 'controller'],
    },
  };
  for (const [sentence, { text, parts }] of Object.entries(rows)) {
    it(sentence, () => assert.deepEqual(partsIn(text), parts));
  }

  it('names what it does not know, and what there is', () => {
    assert.throws(() => partsIn('webhook,kwok'), /names "kwok", which cannot be left out: use webhook, controller/);
  });
});
