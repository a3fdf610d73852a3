import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../support/manifests.ts';
import { peakMiB } from '../support/peak-memory.ts';
import { startSandbox } from '../support/sandbox.ts';
import { lockfile, sbomOf } from '../support/sbom.ts';
import { shippedMemoryMiB } from '../support/shipped-deployment.ts';
import { ARCHITECTURES, type Architecture } from '../support/image/architecture.ts';
import type { Entry } from '../support/image/archive.ts';
import { buildLayout } from '../support/image/build.ts';
import { runInContainer, type Container } from '../support/image/container.ts';
import { debianLock } from '../support/image/debian-lock.ts';
import { startInImage } from '../support/image/sandbox-process.ts';
import { readLayout, unpack, type StoredImage } from '../support/image/unpack.ts';
import { PARTS } from '../../src/local/sandbox-record.ts';
import { untilActive } from '../../src/local/up/install.ts';
import { VERSION } from '../../src/version.ts';

const WORK = join(root, '.test-results/image');
const [FIRST, SECOND] = [join(WORK, 'first'), join(WORK, 'second')];
const MIB = 1024 * 1024;

/** The files that a build reads. */
const READ = ['.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'src', 'webhook', 'manifests', 'test'];

/** Builds in a copy of the repository, with another umask, language and time zone. */
function buildInCopy(): void {
  mkdirSync(SECOND, { recursive: true });
  for (const name of READ) cpSync(join(root, name), join(SECOND, name), { recursive: true, preserveTimestamps: false });
  execFileSync('cp', ['-al', join(root, 'node_modules'), join(SECOND, 'node_modules')]);
  execFileSync('sh', ['-c', 'umask 077; exec "$0" "$@"', process.execPath, 'test/support/image/build.ts'], {
    cwd: SECOND,
    env: { ...process.env, LANG: 'tr_TR.UTF-8', TZ: 'Asia/Shanghai' },
  });
}

/** Values of `e_machine` in the header of a program, by architecture. */
const MACHINES: Readonly<Record<Architecture, number>> = { amd64: 62, arm64: 183 };
const isProgram = ({ content }: Entry): boolean => content?.subarray(0, 4).toString('latin1') === '\x7fELF';

/** Names of libraries and of the dynamic loader in a program. */
const librariesIn = (content: Buffer): readonly string[] =>
  [...content.toString('latin1').matchAll(/\0((?:lib|ld-)[\w+.-]+\.so(?:\.\d+)+)(?=\0)/g)].map(([, name = '']) => name);

/** Users run this image. The tests build it twice, compare the digests, and start webhook and controller from it in a sandbox. */
describe('the image of "make image"', function () {
  this.timeout(600_000);
  const images = new Map<Architecture, StoredImage>();
  let container: Container;
  const imageOf = (architecture: Architecture): StoredImage => images.get(architecture)!;
  let tag: string | undefined;
  let digest = '';

  before(async () => {
    rmSync(WORK, { recursive: true, force: true });
    digest = await buildLayout(FIRST);
    const layout = await readLayout(join(FIRST, 'layout'));
    tag = layout.tag;
    for (const image of layout.images) images.set(image.architecture, image);
    const own = imageOf(process.arch === 'arm64' ? 'arm64' : 'amd64');
    container = { root: join(WORK, 'root'), config: own.config };
    mkdirSync(container.root);
    unpack(own, container.root);
  });
  after(() => rmSync(WORK, { recursive: true, force: true }));

  it('has the version as its tag, and an image for each architecture', () => {
    assert.equal(tag, VERSION);
    assert.deepEqual([...images.keys()], ARCHITECTURES);
    for (const each of ARCHITECTURES) assert.deepEqual(imageOf(each).platform, { architecture: each, os: 'linux' });
  });

  it('has the same digest if it is built in another folder at another time', () => {
    buildInCopy();
    const index = JSON.parse(readFileSync(join(SECOND, 'dist/image/index.json'), 'utf8')) as {
      readonly manifests: readonly { readonly digest: string }[];
    };
    assert.deepEqual(
      index.manifests.map((each) => each.digest),
      [digest],
    );
  });

  for (const architecture of ARCHITECTURES) {
    it(`has only programs and libraries of ${architecture}`, () => {
      const programs = imageOf(architecture).entries.filter(isProgram);
      assert.ok(programs.some(({ path }) => path === 'usr/local/bin/node'));
      assert.ok(programs.length > 5);
      for (const { path, content } of programs) assert.equal(content?.readUInt16LE(18), MACHINES[architecture], path);
    });

    it(`has all libraries that Node.js loads on ${architecture}`, () => {
      const { entries } = imageOf(architecture);
      const libraries = librariesIn(entries.find(({ path }) => path === 'usr/local/bin/node')!.content!);
      const names = new Set(entries.map(({ path }) => basename(path)));
      assert.ok(libraries.includes('libstdc++.so.6'));
      assert.deepEqual(
        libraries.filter((name) => !names.has(name)),
        [],
      );
    });

    it(`contains the listed packages for ${architecture}`, () => {
      const { entries } = imageOf(architecture);
      const folder = /^var\/lib\/dpkg\/status\.d\/([^.]+)$/;
      const texts = entries.filter(({ path }) => folder.test(path)).map(({ content }) => content?.toString() ?? '');
      const installed = texts.map((text) =>
        ['Package', 'Version'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]).join('@'),
      );
      const locked = debianLock()[architecture].map(({ name, version }) => `${name}@${version}`);
      assert.deepEqual(installed.toSorted(), locked.toSorted());
      const manifest = /^portcullis\/(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+package\.json$/;
      const packages = entries
        .filter(({ path }) => manifest.test(path))
        .map(({ content }) => {
          const { name, version } = JSON.parse(content?.toString() ?? '') as Readonly<Record<string, string>>;
          return `${name}@${version}`;
        });
      const { name, packages: lock } = lockfile();
      const listed = sbomOf(name, lock).components.map((each) => `${each.name}@${each.version}`);
      assert.deepEqual([...new Set(packages)].toSorted(), listed.toSorted());
    });

    it(`is no larger than 65 MiB for ${architecture}, and its program no larger than 80 MiB unpacked`, () => {
      const { size, layers } = imageOf(architecture);
      const program = layers.at(-1)?.length ?? 0;
      assert.ok(size < 65 * MIB && program < 80 * MIB, `${size / MIB} MiB, ${program / MIB} MiB`);
    });
  }

  it('runs as the user of the pods, without capabilities, on a read-only file system', async () => {
    const program = `
      const write = (path) => { try { require('fs').writeFileSync(path, ''); return 'written' } catch ({ code }) { return code } };
      const [, capabilities] = /^CapEff:\\s*(\\w+)$/m.exec(require('fs').readFileSync('/proc/self/status', 'utf8'));
      console.log(JSON.stringify({
        ids: [process.getuid(), process.getgid()], user: require('os').userInfo().username, capabilities, folder: process.cwd(),
        writes: ['/x', '/tmp/x', '/portcullis/x'].map(write),
      }))`;
    assert.deepEqual(JSON.parse(await runInContainer(container, ['node', '-e', program])), {
      ids: [65532, 65532],
      user: 'portcullis',
      capabilities: '0000000000000000',
      folder: '/portcullis',
      writes: ['EROFS', 'EROFS', 'EROFS'],
    });
  });

  it('starts the program by its entry point', async () => {
    const { Entrypoint: entrypoint } = container.config;
    assert.match(
      await runInContainer(container, [...entrypoint, 'version']),
      new RegExp(VERSION.replaceAll('.', '\\.')),
    );
  });

  it('runs webhook and controller in a cluster, within the memory limits of their pods', async () => {
    await using sandbox = await startSandbox({ without: PARTS });
    const started = await Promise.all(PARTS.map((part) => startInImage(sandbox, part, container)));
    await Promise.all(PARTS.map((part) => sandbox.ready(part)));
    await untilActive(sandbox.client, AbortSignal.timeout(60_000));
    await sandbox.kubectl(
      'apply',
      '-f',
      join(root, 'manifests/samples/workload.yaml'),
      '-f',
      join(root, 'manifests/samples/good.yaml'),
    );
    await sandbox.kubectl(
      ...['wait', '--for=jsonpath={.status.loadBalancer.ingress[0].ip}', 'service/good', '-n', 'demo', '--timeout=60s'],
    );
    for (const { name, identity } of started) {
      // If the process had ended, the sandbox would have restarted it with the program of this machine instead of the image.
      assert.equal(sandbox.pid(name), identity.pid);
      const [part] = PARTS.filter((each) => each === name);
      assert.ok(peakMiB(identity.pid) < shippedMemoryMiB(part!), `${name}: ${peakMiB(identity.pid)} MiB`);
    }
  });
});
