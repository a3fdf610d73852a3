import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildImage, CONTAINERFILE, SENT } from '../support/containerfile.ts';
import { temporaryFolder } from '../support/folder.ts';
import { manifestsOf, root } from '../support/manifests.ts';
import { lockfile, sbomOf, type Lock } from '../support/sbom.ts';
import { workloadsOf } from '../support/workload.ts';

const run = promisify(execFile);
const those = (name: string): readonly string[] =>
  CONTAINERFILE.filter((each) => each.name === name).map(({ rest }) => rest);

/** The image must contain all files that the processes load, and no others. */
describe('the image', function () {
  this.timeout(600_000);
  const resources = new DisposableStack();
  let image = '';
  before(async () => {
    image = await buildImage(resources.use(temporaryFolder()).path);
  });
  after(() => resources.dispose());

  it('runs the commands version, webhook, controller, lint and plan', async () => {
    const [program = '', ...args] = JSON.parse(those('ENTRYPOINT')[0] ?? '[]') as string[];
    assert.equal(program, 'node');
    const [main = ''] = args;
    for (const command of ['version', 'webhook --help', 'controller --help', 'lint --help', 'plan --help']) {
      const { stdout } = await run(process.execPath, [join(image, main), ...command.split(' ')], { cwd: '/' });
      assert.match(stdout, /portcullis/i, command);
    }
  });

  it('contains only the listed packages', () => {
    const { name, packages } = lockfile();
    const path = join(image, 'portcullis/node_modules/.package-lock.json');
    const installed = (JSON.parse(readFileSync(path, 'utf8')) as { readonly packages: Lock }).packages;
    const names = Object.entries(installed).map(
      ([at, { version }]) => `${at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
    );
    const listed = sbomOf(name, packages).components.map((each) => `${each.name}@${each.version}`);
    assert.deepEqual([...new Set(names)].toSorted(), listed.toSorted());
  });

  it('contains no sources, tests, sandbox, declarations or maps', () => {
    const unwanted = globSync('portcullis/**/*.{ts,mts,cts,map,bare}', { cwd: image });
    assert.deepEqual(
      unwanted.filter((file) => !file.startsWith('portcullis/node_modules/') || /\.(map|bare|d\.[cm]?ts)$/.test(file)),
      [],
    );
    assert.equal(existsSync(join(image, 'portcullis/dist/src/main.js')), true);
    assert.equal(existsSync(join(image, 'portcullis/dist/src/local')), false);
    assert.equal(existsSync(join(image, 'portcullis/dist/test')), false);
  });

  it('adds no more than 80 MiB to its base', () => {
    const sizes = globSync('portcullis/**', { cwd: image, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).size);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(sizes.length > 1_000 && bytes <= 80 * 1024 * 1024, `${Math.round(bytes / 1024 / 1024)} MiB`);
  });

  it('runs as the user of the pods, who owns no file in the image', () => {
    const workloads = workloadsOf(manifestsOf('manifests/{webhook,controller}/deployment.yaml'));
    assert.equal(workloads.length, 2);
    const users = workloads.map(({ spec }) => {
      const { runAsUser, runAsGroup } = spec.template.spec?.securityContext ?? {};
      return `${runAsUser}:${runAsGroup}`;
    });
    assert.deepEqual([...new Set(users)], those('USER'));
    assert.ok(those('COPY').every((rest) => !rest.includes('--chown')));
  });

  it('is built on a configurable base image, and fetches only packages of the lockfile', () => {
    assert.deepEqual(those('FROM'), ['${NODE_IMAGE} AS build', '${NODE_IMAGE}']);
    const programs = those('RUN').flatMap((rest) => rest.split('&&').map((step) => step.trim().split(' ')[0]));
    assert.deepEqual(programs, ['npm', 'npm', 'npm', 'find']);
    for (const rest of those('RUN').filter((each) => /npm (ci|prune) /.test(each)))
      assert.match(rest, /--ignore-scripts/);
    assert.deepEqual(those('ADD'), []);
  });

  it('has a build context with only the copied files', () => {
    const copied = those('COPY')
      .filter((rest) => !rest.startsWith('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1));
    assert.deepEqual(copied.toSorted(), SENT.toSorted());
    for (const name of SENT) assert.ok(existsSync(join(root, name)), name);
  });
});
