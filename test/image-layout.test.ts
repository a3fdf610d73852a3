import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { temporaryFolder } from './support/folder.ts';
import { currentVersions, download } from './support/image/apt.ts';
import { ARCHITECTURES } from './support/image/architecture.ts';
import { fileEntry, folderEntries, folderEntry, type Entry } from './support/image/archive.ts';
import { containerConfig, replaceWhenComplete } from './support/image/build.ts';
import { debianLock, type DebianPackage } from './support/image/debian-lock.ts';
import { imageSbom } from './support/image/image-sbom.ts';
import { layerOf, writeLayout } from './support/image/layout.ts';
import { readLayout } from './support/image/unpack.ts';

const ENTRIES: readonly Entry[] = [
  folderEntry('usr'),
  fileEntry(`usr/${'long/'.repeat(40)}name`, Buffer.from('deep')),
  { path: 'lib', type: 'symlink', mode: 0o777, target: 'usr/lib' },
  fileEntry('usr/node', Buffer.from('program'), 0o755),
];

async function layoutOf(folder: string, entries: readonly Entry[]): Promise<string> {
  const layers = [await layerOf('files', entries)];
  const images = ARCHITECTURES.map((architecture) => ({ architecture, layers }));
  return writeLayout(folder, { version: '1.2.3', labels: { name: 'x' }, config: containerConfig(), images });
}

/** Writes shell scripts in place of programs. */
function writePrograms(folder: string, programs: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

/** `make image` writes images without a container engine. Equal sources must give equal digests, so that users can verify a release. */
describe('the layout of an image', () => {
  const resources = new DisposableStack();
  const folder = (): string => resources.use(temporaryFolder()).path;
  after(() => resources.dispose());

  it('has the same digest for the same files in any order', async () => {
    assert.equal(await layoutOf(folder(), ENTRIES), await layoutOf(folder(), ENTRIES.toReversed()));
  });

  it('has another digest for another content, mode or target', async () => {
    const [first, deep, link, program] = ENTRIES;
    const digests = [
      ENTRIES,
      [first!, { ...deep!, content: Buffer.from('other') }, link!, program!],
      [first!, deep!, { ...link!, target: 'lib64' }, program!],
      [first!, deep!, link!, { ...program!, mode: 0o644 }],
    ].map((entries) => layoutOf(folder(), entries));
    assert.equal(new Set(await Promise.all(digests)).size, 4);
  });

  it('has a tag, an image for each architecture, and the settings of the Containerfile', async () => {
    const place = folder();
    await layoutOf(place, ENTRIES);
    const { tag, images } = await readLayout(place);
    assert.equal(tag, '1.2.3');
    assert.deepEqual(
      images.map(({ platform, architecture }) => [platform, architecture]),
      ARCHITECTURES.map((architecture) => [{ architecture, os: 'linux' }, architecture]),
    );
    for (const { config, entries } of images) {
      assert.deepEqual(config, {
        User: '65532:65532',
        Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'NODE_ENV=production'],
        Entrypoint: ['node', '/portcullis/dist/src/main.js'],
        WorkingDir: '/portcullis',
        Labels: { name: 'x' },
      });
      assert.deepEqual(
        entries.map(({ path, mode }) => [path, mode]),
        ENTRIES.map(({ path, mode }) => [path, mode] as const).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
    }
  });

  it('has files that root owns, with time 0, and stores a shared layer once', async () => {
    const place = folder();
    await layoutOf(place, ENTRIES);
    // One shared layer, two settings and two manifests (one for each architecture), and the index.
    assert.equal(readdirSync(join(place, 'blobs/sha256')).length, 6);
    const { images } = await readLayout(place);
    const unpacking = extract();
    unpacking.end(images[0]!.layers[0]);
    for await (const entry of unpacking) {
      const { uid, gid, mtime, uname, gname } = entry.header;
      assert.deepEqual([uid, gid, mtime.getTime(), uname, gname], [0, 0, 0, '', '']);
      entry.resume();
    }
  });

  it('has files with the same modes for any umask', () => {
    const place = folder();
    for (const [name, mode] of [
      ['private', 0o600],
      ['group', 0o664],
      ['program', 0o700],
    ] as const) {
      writeFileSync(join(place, name), '');
      chmodSync(join(place, name), mode);
    }
    assert.deepEqual(
      folderEntries(place, 'x')
        .map(({ path, mode }) => [path, mode])
        .toSorted(),
      [
        ['x/group', 0o644],
        ['x/private', 0o644],
        ['x/program', 0o755],
      ],
    );
  });

  it('replaces an earlier layout only when it is complete', async () => {
    const target = join(folder(), 'image');
    mkdirSync(target);
    writeFileSync(join(target, 'earlier'), '');
    const failing = async (work: string): Promise<string> => {
      mkdirSync(join(work, 'layout'), { recursive: true });
      throw new Error('interrupted');
    };
    await assert.rejects(replaceWhenComplete(target, failing), /^Error: interrupted$/);
    assert.deepEqual([readdirSync(target), existsSync(`${target}.new`)], [['earlier'], false]);
    await replaceWhenComplete(target, (work) => layoutOf(join(work, 'layout'), ENTRIES));
    assert.deepEqual(
      [readdirSync(target), existsSync(`${target}.new`)],
      [['blobs', 'index.json', 'oci-layout'], false],
    );
  });
});

describe('the lock file of Debian packages', () => {
  const lock = debianLock();

  it('has the same packages for all architectures, with version and checksum', () => {
    const [first = [], second] = ARCHITECTURES.map((each) => lock[each].map(({ name }) => name));
    assert.deepEqual(second, first);
    assert.ok(first.length > 0);
    for (const { name, path, sha256 } of ARCHITECTURES.flatMap((each) => lock[each])) {
      assert.match(path, /^pool\/.*\.deb$/, name);
      assert.match(sha256, /^[0-9a-f]{64}$/, name);
    }
  });

  it('is part of the software bill of materials of the image, as is Node.js', () => {
    const { components, dependencies } = imageSbom();
    const listed = components.map(({ purl }) => purl);
    for (const each of ARCHITECTURES)
      for (const { name, version } of lock[each])
        assert.ok(
          listed.includes(`pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${each}`),
          `${name} for ${each}`,
        );
    assert.equal(listed.filter((purl) => purl.startsWith('pkg:npm/node-linux-')).length, ARCHITECTURES.length);
    for (const { name, hashes = [] } of components) assert.equal(hashes.length, 1, name);
    assert.equal(new Set(listed).size, listed.length);
    assert.equal(dependencies.length, components.length + 1);
  });
});

describe('the update of the lock file of Debian packages', () => {
  /** Returns the versions that apt has, for a machine whose sources have only `known`. */
  async function versionsOf(names: readonly string[]): Promise<readonly DebianPackage[]> {
    using folder = temporaryFolder();
    const known = 'Package: known\nVersion: 1:2-3\nFilename: pool/k.deb\nSHA256: abc\nDescription: x\n';
    writePrograms(folder.path, { 'apt-get': '', 'apt-cache': `printf '%s\\n' '${known}'` });
    return await currentVersions({ PATH: folder.path }, 'arm64', names, join(folder.path, 'state'));
  }

  it('has the version, path and checksum that apt shows', async () => {
    const versions = [{ name: 'known', version: '1:2-3', path: 'pool/k.deb', sha256: 'abc' }];
    assert.deepEqual(await versionsOf(['known']), versions);
  });

  it('fails for a package that the sources of apt lack', async () => {
    await assert.rejects(versionsOf(['known', 'gcc-11-base']), {
      message:
        'the sources of apt on this machine have no gcc-11-base for arm64: correct the name in manifests/image/debian-lock.json',
    });
  });
});

describe('the download of Debian packages', () => {
  const [wanted] = debianLock().amd64;

  /** Writes programs of apt for which every archive responds with 404. Returns their folder. */
  function emptyArchives(folder: string): string {
    const programs = {
      'apt-get': `echo "'http://one/debian/dists/stable/InRelease' one 0"; echo "'http://two/debian/dists/stable/InRelease' two 0"`,
      'apt-helper': 'echo "$@" >> "$0.calls"; echo "E: Failed to fetch $4  404  Not Found" >&2; exit 100',
    };
    writePrograms(folder, programs);
    return folder;
  }

  it('tries all archives, and names the command that updates the lock file', async () => {
    using folder = temporaryFolder();
    const environment = { PATH: emptyArchives(folder.path) };
    await assert.rejects(download(environment, [wanted!], join(folder.path, 'downloads')), ({ message }: Error) => {
      assert.ok(message.includes(wanted!.path), message);
      assert.match(message, /\(Failed to fetch http:\/\/two\/debian\/pool\/.* 404 {2}Not Found\)/);
      assert.match(message, /run "make image-lock" and commit the file$/);
      return true;
    });
    const calls = readFileSync(join(folder.path, 'apt-helper.calls'), 'utf8');
    assert.deepEqual(
      [...calls.matchAll(/http:\/\/(\w+)/g)].map(([, name]) => name),
      ['one', 'two'],
    );
    assert.ok(calls.includes(`SHA256:${wanted!.sha256}`));
  });

  it('names other ways to build on a machine without apt', async () => {
    using folder = temporaryFolder();
    await assert.rejects(download({ PATH: folder.path }, [wanted!], folder.path), {
      message:
        'the image contains packages of Debian, and this machine has no apt-get: run "make image" on Debian, or build the image with a container engine and manifests/image/Containerfile',
    });
  });
});
