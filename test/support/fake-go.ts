import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A fake `go` command that writes programs which print a version. Tests build the tools of the sandbox with it, without minutes of compilation. */
export interface FakeGo {
  /** The environment with `PATH` and `XDG_CACHE_HOME` that selects this command and a cache of its own. */
  readonly env: Readonly<Record<string, string>>;
  readonly cache: string;
  /** Returns the commands in order. */
  readonly calls: () => readonly string[];
}

/** The answer of `go` about the folder of a module, which contains the definitions of cert-manager. */
const MODULE = `{"Dir": "%s"}`;

/** Creates the command. `build` is a part of its shell script: it runs before the programs are written to the folder `$out`. */
export function fakeGo(folder: string, { version = 'go1.26.0', build = 'true' } = {}): FakeGo {
  const bin = join(folder, 'bin');
  const log = join(folder, 'go.calls');
  const module = join(folder, 'module', 'deploy', 'crds');
  mkdirSync(bin, { recursive: true });
  mkdirSync(module, { recursive: true });
  writeFileSync(log, '');
  for (const kind of ['certificaterequests', 'certificates', 'clusterissuers', 'issuers']) {
    writeFileSync(
      join(module, `cert-manager.io_${kind}.yaml`),
      `kind: CustomResourceDefinition\nmetadata:\n  name: ${kind}\n`,
    );
  }
  script(
    join(bin, 'go'),
    `echo "$*" >> '${log}'
case "$1 $3" in
  'env GOOS') printf '${version}\\nlinux\\namd64\\n' ;;
  '-C mod') printf '${MODULE.replace('%s', join(folder, 'module'))}' ;;
  '-C build')
    while [ "$1" != -o ]; do shift; done
    out=$2; shift 2
    ${build}
    for package; do
      case "$package" in */v[0-9]) package="\${package%/*}" ;; esac
      printf '#!/bin/sh\\necho v1.36.3\\n' > "$out\${package##*/}"; chmod +x "$out\${package##*/}"
    done ;;
esac`,
  );
  return {
    cache: join(folder, 'cache'),
    env: { PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin`, XDG_CACHE_HOME: join(folder, 'cache') },
    calls: () => readFileSync(log, 'utf8').trim().split('\n'),
  };
}

/** Writes an executable shell script. */
export function script(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}
