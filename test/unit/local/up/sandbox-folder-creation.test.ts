import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { kubeconfigConnection } from '../../../../src/kubernetes/kubeconfig.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { readRecord } from '../../../../src/local/sandbox-record.ts';
import { SANDBOX_TOOLS, type Tools } from '../../../../src/local/tools/catalogue.ts';
import { prepare } from '../../../../src/local/up/sandbox-folder-creation.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const TOOLS = Object.fromEntries(SANDBOX_TOOLS.map((name) => [name, `/cache/${name}`])) as Tools;
const prepared = (folder: string) =>
  prepare({ name: 'default', folder, without: ['webhook'], tools: TOOLS, now: Date.now() });

/** The processes of the sandbox need keys and files that other users of the machine cannot read. */
describe('the preparation of a sandbox', () => {
  it('writes all files for its processes, readable only for the owner', async () => {
    using temporary = temporaryFolder();
    const folder = join(temporary.path, 'sandbox');
    const { record, plan, kubeconfigs, cloudConfigFile } = await prepared(folder);
    assert.equal(statSync(folder).mode & 0o077, 0);
    const files = [
      ...Object.values(kubeconfigs),
      cloudConfigFile,
      plan.files.administratorKubeconfig,
      plan.files.tokenKey,
    ];
    for (const file of files) assert.equal(statSync(file).mode & 0o077, 0, file);
    assert.deepEqual(readRecord(folder), record);
    assert.equal(record.state, 'starting');
    assert.deepEqual(record.without, ['webhook']);
    const { ports } = record;
    assert.equal(new Set([...Object.values(ports.webhook), ...Object.values(ports.controller)]).size, 3);
  });

  it('closes an existing folder to other users', async () => {
    using temporary = temporaryFolder();
    chmodSync(temporary.path, 0o755);
    await prepared(temporary.path);
    assert.equal(statSync(temporary.path).mode & 0o777, 0o700);
  });

  it('puts the programs, but no other files of the tools, in a folder for PATH', async () => {
    using temporary = temporaryFolder();
    await prepared(temporary.path);
    assert.equal(readlinkSync(join(temporary.path, 'bin', 'kubectl')), '/cache/kubectl');
    assert.equal(lstatSync(join(temporary.path, 'bin', 'kwok-stages.yaml'), { throwIfNoEntry: false }), undefined);
  });

  it('includes our own program, so that commands in messages work', async () => {
    using temporary = temporaryFolder();
    await prepared(temporary.path);
    const program = join(temporary.path, 'bin', 'portcullis');
    assert.equal(statSync(program).mode & 0o111, 0o111);
    const text = readFileSync(program, 'utf8');
    assert.match(text, /^#!\/bin\/sh\nexec '.*' '.*\/dist\/src\/main\.js' "\$@"\n$/);
    assert.ok(text.includes(`'${process.execPath}'`));
  });

  it('configures an egress socket with a short path for any folder depth', async () => {
    using temporary = temporaryFolder();
    const deep = join(temporary.path, 'a'.repeat(60), 'b'.repeat(60));
    mkdirSync(deep, { recursive: true });
    const { record, plan } = await prepared(deep);
    assert.ok(Buffer.byteLength(record.egressSocket) <= 100, record.egressSocket);
    const flag = plan.apiServer.args.find((arg) => arg.startsWith('--egress-selector-config-file='));
    assert.match(readFileSync(flag?.split('=')[1] ?? '', 'utf8'), new RegExp(record.egressSocket));
    rmSync(dirname(record.egressSocket), { recursive: true, force: true });
    const near = await prepared(join(temporary.path, 'near'));
    assert.equal(near.record.egressSocket, join(temporary.path, 'near', 'egress.sock'));
  });

  it('writes kubeconfigs that name a token file for our processes', async () => {
    using temporary = temporaryFolder();
    await prepared(temporary.path);
    const path = join(temporary.path, 'controller.kubeconfig');
    mkdirSync(join(temporary.path, 'pods', 'controller'), { recursive: true });
    writeFileSync(join(temporary.path, 'pods', 'controller', 'token'), 'eyJh.token.x');
    const connection = await kubeconfigConnection({ path, clock: systemClock });
    assert.match(connection.server, /^https:\/\/127\.0\.0\.1:\d+$/);
  });

  it('removes the logs of the previous run', async () => {
    using temporary = temporaryFolder();
    mkdirSync(join(temporary.path, 'logs'));
    writeFileSync(join(temporary.path, 'logs', 'old.log'), 'x');
    await prepared(temporary.path);
    assert.equal(existsSync(join(temporary.path, 'logs', 'old.log')), false);
  });
});
