import { download, runApt } from './apt.ts';
import { fileEntry, folderEntry, readArchive, type Entry } from './archive.ts';
import type { DebianPackage } from './debian-lock.ts';

/** Configuration that Debian's packages write when they are installed, and a name for the user of the pods. */
const CONFIGURATION = {
  'etc/passwd': 'root:x:0:0:root:/root:/usr/sbin/nologin\nportcullis:x:65532:65532:Portcullis:/:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\nportcullis:x:65532:\n',
  // Names of /etc/hosts come before those of DNS, as in all images.
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** Folder in which scanners look for the packages of images without dpkg. */
const STATUS = 'var/lib/dpkg/status.d';

async function packageEntries(environment: NodeJS.ProcessEnv, name: string, file: string): Promise<readonly Entry[]> {
  const control = await readArchive(await runApt(environment, 'dpkg-deb', ['--ctrl-tarfile', file]));
  const contentOf = (path: string): Buffer => control.find((each) => each.path === path)?.content ?? Buffer.alloc(0);
  return [
    ...(await readArchive(await runApt(environment, 'dpkg-deb', ['--fsys-tarfile', file]))),
    fileEntry(`${STATUS}/${name}`, contentOf('control')),
    fileEntry(`${STATUS}/${name}.md5sums`, contentOf('md5sums')),
  ];
}

/** Returns the files of packages of Debian, for the lowest layer of the image. No script of a package runs. */
export async function debianEntries(
  environment: NodeJS.ProcessEnv,
  packages: readonly DebianPackage[],
  folder: string,
): Promise<readonly Entry[]> {
  const files = await download(environment, packages, folder);
  const entries = await Promise.all(
    packages.map(({ name }, index) => packageEntries(environment, name, files[index]!)),
  );
  return [
    ...entries.flat(),
    folderEntry(STATUS),
    ...Object.entries(CONFIGURATION).map(([path, text]) => fileEntry(path, Buffer.from(text))),
  ];
}
