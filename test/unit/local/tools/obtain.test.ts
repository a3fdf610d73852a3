import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { silent, type ProgressReporter } from '../../../../src/local/progress.ts';
import { SANDBOX_TOOLS, TOOLS } from '../../../../src/local/tools/catalogue.ts';
import { obtainTools } from '../../../../src/local/tools/find-or-build-tools.ts';
import { fakeGo, script } from '../../../support/fake-go.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** Records step titles and lines, and passes each to `heard`. */
function remembering(heard: (text: string) => void = () => undefined): ProgressReporter & { readonly texts: string[] } {
  const texts: string[] = [];
  const record = (text: string): void => {
    texts.push(text);
    heard(text);
  };
  return {
    texts,
    line: record,
    step: (title, work) => {
      record(title);
      return work();
    },
  };
}

/** The first start of a sandbox builds its tools for minutes, and a failed build must explain its failure, and leave no incomplete file. */
describe('the build of tools', () => {
  it('builds missing tools with progress, and builds nothing twice', async () => {
    using folder = temporaryFolder();
    const go = fakeGo(folder.path);
    const progress = remembering();
    const tools = await obtainTools(['etcd', 'kubectl'], { env: go.env, progress });
    assert.deepEqual(progress.texts, ['building etcd, kubectl']);
    assert.ok(existsSync(tools.etcd) && tools.etcd.startsWith(go.cache));
    const built = go.calls().length;
    assert.deepEqual(await obtainTools(['etcd', 'kubectl'], { env: go.env, progress }), tools);
    assert.deepEqual(go.calls().slice(built), ['env GOVERSION GOOS GOARCH']);
    assert.equal(progress.texts.length, 1);
  });

  it('makes all programs of a sandbox by one command, in the module of the default version', async () => {
    using folder = temporaryFolder();
    const go = fakeGo(folder.path);
    const progress = remembering();
    const tools = await obtainTools(SANDBOX_TOOLS, { env: go.env, progress });
    const builds = go.calls().filter((call) => call.includes(' build '));
    assert.equal(builds.length, 1);
    for (const path of ['etcd/server/v3', 'cmd/kube-scheduler', 'cmd/kwok', './cert-manager']) {
      assert.ok(builds[0]?.includes(path), path);
    }
    assert.ok(!builds[0]?.includes('kustomize'), 'the sandbox does not need kustomize');
    assert.equal(new Set(Object.values(tools).map(dirname)).size, 1);
    assert.deepEqual(readdirSync(dirname(tools.etcd)).sort(), [...SANDBOX_TOOLS].sort());
    assert.ok(progress.texts.includes('building 7 tools'));
  });

  it('shares the tools that serve every version of Kubernetes', async () => {
    using folder = temporaryFolder();
    const go = fakeGo(folder.path);
    const { kwok, etcd } = await obtainTools(['kwok', 'etcd'], { env: go.env, progress: silent });
    const old = await obtainTools(['kwok', 'etcd'], { env: { ...go.env, KUBERNETES: '1.34' }, progress: silent });
    assert.equal(old.kwok, kwok);
    assert.notEqual(old.etcd, etcd);
    const sources = go.calls().flatMap((call) => /-C \S*\/(\S+) build/.exec(call)?.[1] ?? []);
    assert.deepEqual(sources, ['1.36', '1.34']);
  });

  it('shows its progress against the duration of an earlier build', async () => {
    using folder = temporaryFolder();
    const go = fakeGo(folder.path);
    const expected: (number | undefined)[] = [];
    const clock = new VirtualClock();
    const progress: ProgressReporter = {
      line: () => undefined,
      step: async (_title, work, expectedMs) => {
        expected.push(expectedMs);
        const result = await work();
        await clock.advance(20_000);
        return result;
      },
    };
    const first = await obtainTools(['etcd'], { env: go.env, progress, clock });
    rmSync(first.etcd);
    await obtainTools(['etcd'], { env: go.env, progress, clock });
    assert.deepEqual(expected, [TOOLS.etcd.seconds * 1000, 20_000]);
  });

  it('leaves only the requested tools in the cache', async () => {
    using folder = temporaryFolder();
    const { etcd } = await obtainTools(['etcd'], { env: fakeGo(folder.path).env, progress: silent });
    assert.deepEqual(readdirSync(dirname(etcd)), ['etcd']);
  });

  it('collects the files of a module into a list', async () => {
    using folder = temporaryFolder();
    const tools = await obtainTools(['cert-manager-crds.json'], { env: fakeGo(folder.path).env, progress: silent });
    const list = JSON.parse(readFileSync(tools['cert-manager-crds.json'], 'utf8')) as {
      items: { metadata: { name: string } }[];
    };
    assert.deepEqual(
      list.items.map(({ metadata }) => metadata.name),
      ['certificaterequests', 'certificates', 'clusterissuers', 'issuers'],
    );
  });

  it('reports a failure with the end of the output, and leaves no partial files', async () => {
    using folder = temporaryFolder();
    const go = fakeGo(folder.path, { build: `echo half > "$out/etcd"; echo 'no space left on device' >&2; exit 1` });
    await assert.rejects(obtainTools(['etcd'], { env: go.env, progress: silent }), {
      reason: 'Unavailable',
      message: /"go -C .* build .*" failed with exit code 1; the end of its output:\n {2}no space left on device/,
    });
    const [cached = ''] = readdirSync(join(go.cache, 'portcullis', 'tools'));
    assert.deepEqual(readdirSync(join(go.cache, 'portcullis', 'tools', cached)), []);
  });

  it('stops its children when it is interrupted, and leaves no partial files', async () => {
    using folder = temporaryFolder();
    const go = fakeGo(folder.path, { build: `echo half > "$out/etcd"; exec sleep 60` });
    const interruption = new AbortController();
    const building = obtainTools(['etcd'], { env: go.env, progress: silent, signal: interruption.signal });
    const target = join(go.cache, 'portcullis', 'tools');
    const half = (): boolean =>
      existsSync(target) &&
      readdirSync(target, { recursive: true }).some((name) => String(name).includes('unfinished'));
    while (!half()) await delay(10);
    interruption.abort(new Error('interrupted'));
    await assert.rejects(building, /interrupted/);
    assert.deepEqual(
      readdirSync(target, { recursive: true })
        .map(String)
        .filter((name) => name.includes('/')),
      [],
    );
  });

  it('runs once for two callers, and the second waits and names the first', async () => {
    using folder = temporaryFolder();
    const waits = join(folder.path, 'waits');
    const go = fakeGo(folder.path, { build: `while [ ! -e '${waits}' ]; do sleep 0.01; done` });
    const waiting = `process ${process.pid} is already building tools; waiting for it`;
    const progress = remembering((title) => {
      if (title === waiting) writeFileSync(waits, '');
    });
    const options = { env: go.env, progress };
    const [one, other] = await Promise.all([obtainTools(['etcd'], options), obtainTools(['etcd'], options)]);
    assert.equal(one.etcd, other.etcd);
    assert.equal(go.calls().filter((call) => call.includes(' build ')).length, 1);
    assert.ok(progress.texts.includes(waiting));
  });

  it('replaces the lock and removes the partial files of a killed build', async () => {
    using folder = temporaryFolder();
    const go = fakeGo(folder.path);
    const { etcd } = await obtainTools(['etcd'], { env: go.env, progress: silent });
    const left = join(dirname(etcd), '.unfinished-1');
    mkdirSync(left);
    writeFileSync(join(left, 'kubectl'), 'half');
    writeFileSync(`${dirname(etcd)}.lock`, JSON.stringify({ pid: 1, started: 'before the machine was started' }));
    await obtainTools(['kubectl'], { env: go.env, progress: silent });
    assert.deepEqual(readdirSync(dirname(etcd)).sort(), ['etcd', 'kubectl']);
    assert.ok(!existsSync(`${dirname(etcd)}.lock`));
  });

  const absent: Readonly<Record<string, RegExp>> = {
    '1.34': /go not found: install Go 1\.25\.0 or newer, or set PORTCULLIS_TOOLS/,
    '1.36': /go not found: install Go 1\.26\.0 or newer, or set PORTCULLIS_TOOLS/,
  };
  for (const [kubernetes, message] of Object.entries(absent))
    it(`fails without Go, and the message has both remedies for Kubernetes ${kubernetes}`, async () => {
      using folder = temporaryFolder();
      const env = { PATH: folder.path, XDG_CACHE_HOME: folder.path, KUBERNETES: kubernetes };
      await assert.rejects(obtainTools(['etcd'], { env, progress: silent }), {
        reason: 'InvalidConfiguration',
        message,
      });
    });

  for (const version of ['1.24.3', '1.25', '1.26rc1'])
    it(`reports the required Go release if Go ${version} is too old`, async () => {
      using folder = temporaryFolder();
      const go = fakeGo(folder.path, { version: `go${version}` });
      await assert.rejects(obtainTools(['etcd'], { env: go.env, progress: silent }), {
        reason: 'InvalidConfiguration',
        message: new RegExp(`Go ${version} is too old .* requires 1\\.26\\.0`),
      });
    });

  for (const version of ['1.26', '1.26.3', '1.27rc1'])
    it(`accepts Go ${version}`, async () => {
      using folder = temporaryFolder();
      const { env, cache } = fakeGo(folder.path, { version: `go${version}` });
      const { etcd } = await obtainTools(['etcd'], { env, progress: silent });
      assert.ok(etcd.startsWith(cache));
    });
});

describe('configured tools', () => {
  const fakeTool = (folder: string, name: string, prints: string): string => {
    mkdirSync(folder, { recursive: true });
    script(join(folder, name), `echo '${prints}'`);
    return folder;
  };

  it('come from PORTCULLIS_TOOLS, else from KUBEBUILDER_ASSETS, except kwok', async () => {
    using folder = temporaryFolder();
    const go = fakeGo(folder.path);
    const assets = join(folder.path, 'assets');
    fakeTool(assets, 'etcd', 'etcd Version: 3.6.4');
    fakeTool(assets, 'kubectl', 'Client Version: v1.36.0');
    fakeTool(assets, 'kwok', 'kwok version v0.8.0');
    const mine = fakeTool(join(folder.path, 'mine'), 'kubectl', 'Client Version: v1.35.1');
    const env = { ...go.env, KUBEBUILDER_ASSETS: assets, PORTCULLIS_TOOLS: mine };
    const tools = await obtainTools(['etcd', 'kubectl', 'kwok'], { env, progress: silent });
    assert.equal(tools.etcd, join(assets, 'etcd'));
    assert.equal(tools.kubectl, join(mine, 'kubectl'));
    assert.ok(tools.kwok.startsWith(go.cache), 'kwok is not taken from KUBEBUILDER_ASSETS');
  });

  it('need no Go if they are complete', async () => {
    using folder = temporaryFolder();
    const mine = fakeTool(folder.path, 'etcd', 'etcd Version: 3.6.8');
    const env = { PATH: '/usr/bin:/bin', PORTCULLIS_TOOLS: mine };
    assert.deepEqual(await obtainTools(['etcd'], { env, progress: silent }), { etcd: join(mine, 'etcd') });
  });

  const rejected = {
    'is too old': {
      prints: 'etcd Version: 3.4.23',
      message: /etcd is 3\.4\.23, and the sandbox requires etcd 3\.5\.13 or newer: replace the file, or unset/,
    },
    'does not print its version': {
      prints: 'hello',
      message: /etcd is of an unknown version, and the sandbox requires etcd/,
    },
  };
  for (const [title, { prints, message }] of Object.entries(rejected)) {
    it(`are rejected with a message if a tool ${title}`, async () => {
      using folder = temporaryFolder();
      const env = { PATH: '/usr/bin:/bin', KUBEBUILDER_ASSETS: fakeTool(folder.path, 'etcd', prints) };
      await assert.rejects(obtainTools(['etcd'], { env, progress: silent }), {
        reason: 'InvalidConfiguration',
        message,
      });
    });
  }

  for (const variable of ['KUBEBUILDER_ASSETS', 'PORTCULLIS_TOOLS']) {
    it(`are rejected with a message if ${variable} is not a folder`, async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, 'gone');
      await assert.rejects(
        obtainTools(['etcd'], { env: { PATH: '/usr/bin:/bin', [variable]: path }, progress: silent }),
        {
          reason: 'InvalidConfiguration',
          message: `${variable} is ${path}, which is not a folder: correct the variable, or unset the variable to build the tools`,
        },
      );
    });
  }

  it('are rejected with a message if a tool cannot run', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'etcd');
    writeFileSync(path, 'not a program');
    utimesSync(path, 0, 0);
    const env = { PATH: '/usr/bin:/bin', PORTCULLIS_TOOLS: folder.path };
    await assert.rejects(obtainTools(['etcd'], { env, progress: silent }), {
      reason: 'InvalidConfiguration',
      message: /failed to run .*etcd: /,
    });
  });
});
