import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS, SANDBOX_TOOLS } from '../../../../src/local/tools/catalogue.ts';
import {
  expectedSeconds,
  readDurations,
  recorded,
  writeDurations,
} from '../../../../src/local/tools/build-durations.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const PAIR = ['etcd', 'kubectl'] as const;
const estimated = TOOLS.etcd.seconds + TOOLS.kubectl.seconds;

/** The first start of a sandbox builds its tools for minutes, so the progress output shows a percentage of the expected duration. */
describe('the expected duration of a build', () => {
  it('is the estimate of the recipe without a record', () => assert.equal(expectedSeconds(PAIR, {}), estimated));

  it('is the recorded duration', () => assert.equal(expectedSeconds(PAIR, { etcd: 10, kubectl: 5 }), 15));

  it('uses the speed of the machine for tools without a record', () => {
    const twice = { etcd: TOOLS.etcd.seconds * 2 };
    assert.equal(expectedSeconds(PAIR, twice), estimated * 2);
  });

  it('is a few minutes for all tools of a sandbox', () => {
    const minutes = expectedSeconds(SANDBOX_TOOLS, {}) / 60;
    assert.ok(minutes > 3 && minutes < 8, `${minutes}`);
  });
});

describe('the record of build durations', () => {
  it('divides the duration of a build among its tools, in proportion to their estimates', () => {
    const durations = recorded({}, PAIR, estimated * 3);
    assert.deepEqual(durations, { etcd: TOOLS.etcd.seconds * 3, kubectl: TOOLS.kubectl.seconds * 3 });
  });

  it('is the average with earlier builds, and keeps other tools', () => {
    const durations = recorded({ etcd: 10, kwok: 7 }, ['etcd'], 20);
    assert.deepEqual(durations, { etcd: 15, kwok: 7 });
  });

  it('is read as it was written, and the write leaves no other file', async () => {
    using folder = temporaryFolder();
    await writeDurations(folder.path, { etcd: 12.5 });
    assert.deepEqual(await readDurations(folder.path), { etcd: 12.5 });
    assert.deepEqual(readdirSync(folder.path), ['durations.json']);
  });

  for (const [title, text] of Object.entries({
    'is damaged': '{',
    'has unknown tools': '{"emacs": 3}',
    'has wrong values': '{"etcd": "long", "kubectl": -1}',
    'is not an object': 'null',
  })) {
    it(`is empty if the file ${title}`, async () => {
      using folder = temporaryFolder();
      writeFileSync(join(folder.path, 'durations.json'), text);
      assert.deepEqual(await readDurations(folder.path), {});
    });
  }

  it('is empty if there is no file', async () => {
    using folder = temporaryFolder();
    assert.deepEqual(await readDurations(join(folder.path, 'missing')), {});
  });
});
