import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, fakeApiServer, status, type Handler } from '../../support/http-api-server.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { kubeconfigOf, listOf } from '../../support/kubeconfig-of.ts';
import { aService } from '../../support/service.ts';
import { aLease, withCondition } from '../../support/status-command-facts.ts';
import { aTerminal } from '../../support/terminal.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');

const VERSION = { gitVersion: 'v1.36.0' };

/** Answers like an API server whose user has no rights. */
const denies: Handler = (seen, response) =>
  seen.path === '/version'
    ? answer(response, 200, VERSION)
    : answer(response, 403, status(403, `User "x" cannot ${seen.method} resource`, 'Forbidden'));

/** Answers like an API server that has only these objects. */
const serving =
  (objects: Readonly<Record<string, object>>): Handler =>
  (seen, response) => {
    const { path } = seen;
    const object = objects[path];
    const isList = seen.query.has('limit');
    if (path === '/version') answer(response, 200, VERSION);
    else if (object !== undefined) answer(response, 200, object);
    else if (isList) answer(response, 200, listOf());
    else answer(response, 404, status(404, `${path} not found`, 'NotFound'));
  };

/** Runs `portcullis status` against an API server. */
async function run(handle: Handler, ...args: readonly string[]) {
  using folder = temporaryFolder();
  await using server = await fakeApiServer(handle);
  const config = join(folder.path, 'config');
  writeFileSync(config, kubeconfigOf(server.url));
  const terminal = aTerminal();
  const code = await terminal.run('status', ...args, '--kubeconfig', config);
  return { code, out: terminal.out(), err: terminal.err(), seen: server.seen };
}

/** Scripts use the exit code and the JSON of the status, which must only read. */
describe('portcullis status', () => {
  it('names every missing right, and exits with 2', async () => {
    const { code, out, err } = await run(denies);
    assert.equal(code, 2);
    assert.match(
      out,
      /^unknown {2}leader +the right to get leases\.coordination\.k8s\.io ccm in namespace kube-system is/m,
    );
    assert.match(out, /^unknown {2}services +the right to list services in all namespaces is missing$/m);
    assert.match(out, /^skipped {2}certificate +the right to get secrets portcullis-webhook-tls in namespace/m);
    assert.match(out, /the right to list loadbalancerpolicies\.portcullis\.io is missing/);
    assert.match(err, /^\d+ lines: \d+ unknown, 2 skipped\n$/);
  });

  it('prints what is wrong as data, and exits with 1', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm';
    const { code, out } = await run(serving({ [lease]: aLease({ holderIdentity: '' }) }), '-o', 'json');
    const { isWrong, lines } = JSON.parse(out) as { isWrong: boolean; lines: { name: string; level: string }[] };
    assert.deepEqual([code, isWrong], [1, true]);
    assert.equal(lines.find(({ name }) => name === 'leader')?.level, 'wrong');
  });

  it('counts the Services of one namespace on request', async () => {
    const { seen } = await run(denies, '-n', 'team-a');
    assert.ok(seen.some(({ path }) => path === '/api/v1/namespaces/team-a/services'));
    assert.ok(!seen.some(({ path }) => path === '/api/v1/services'));
  });

  it('sends only reads, and one review that is never stored', async () => {
    const { seen } = await run(serving({}));
    const writes = seen.filter(({ method }) => method !== 'GET');
    assert.deepEqual(
      writes.map(({ method, path, query }) => [method, path, query.get('dryRun')]),
      [['POST', '/api/v1/namespaces/shop/services', 'All']],
    );
  });

  it('prints no key of a certificate', async () => {
    const secret = '/api/v1/namespaces/portcullis-system/secrets/portcullis-webhook-tls';
    const data = { 'tls.crt': '', 'tls.key': Buffer.from('PRIVATE').toString('base64') };
    const found = await run(serving({ [secret]: { metadata: {}, data } }), '-o', 'json');
    assert.ok(found.seen.some(({ path }) => path === secret));
    assert.doesNotMatch(found.out + found.err, /PRIVATE|UFJJVkFURQ/);
  });

  it('shows the report of a Service in the namespace', async () => {
    const path = '/api/v1/namespaces/shop/services/web';
    const objects = { [path]: withCondition(aService(), 'PortUnavailable', 'port 80 is taken') };
    const { code, out, seen } = await run(serving(objects), 'service', 'web');
    assert.equal(code, 1);
    assert.match(
      out,
      /^wrong +condition +not ready for .*: PortUnavailable: port 80 is taken\n +→ choose another port/m,
    );
    const [events] = seen.filter((each) => each.path === '/api/v1/namespaces/shop/events');
    assert.equal(events?.query.get('fieldSelector'), `involvedObject.uid=${aService().metadata.uid}`);
  });

  for (const [title, handle, args, line] of [
    ['a Service that does not exist', serving({}), ['service', 'nil'], 'error: there is no Service shop/nil'],
    [
      'a Service that may not be read',
      denies,
      ['service', 'web'],
      'error: the right to get services web in namespace shop is missing',
    ],
    [
      'a name with a namespace',
      serving({}),
      ['service', 'shop/web'],
      'error: "shop/web" is not the name of a Service: write web -n shop',
    ],
    [
      'a name with two slashes',
      serving({}),
      ['service', 'shop/web/x'],
      'error: "shop/web/x" is not the name of a Service: write the name alone',
    ],
    ['a Service without a name', serving({}), ['service'], "error: missing required argument 'NAME'"],
    [
      'another kind',
      serving({}),
      ['servce', 'web'],
      "error: command-argument value 'servce' is invalid for argument 'KIND'. Allowed choices are service. (did you mean service?)",
    ],
    ['an unknown context', serving({}), ['--context', 'prod'], /^error: .*"prod"/],
  ] as const)
    it(`answers ${title} with one line, and exits with 2`, async () => {
      const { code, out, err } = await run(handle, ...args);
      assert.deepEqual([code, out], [2, '']);
      if (typeof line === 'string') assert.equal(err, `${line}\n`);
      else assert.match(err, line);
    });

  it('answers invalid credentials with one line, and exits with 2', async () => {
    const { code, out, err } = await run((_, response) => answer(response, 401, status(401, 'no', 'Unauthorized')));
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^error: GET \/version: no \(the credentials were rejected.*\n$/);
  });

  it('answers an unreachable cluster with one line, and exits with 2', async () => {
    using folder = temporaryFolder();
    const config = join(folder.path, 'config');
    writeFileSync(config, kubeconfigOf('http://127.0.0.1:1'));
    const terminal = aTerminal();
    assert.equal(await terminal.run('status', '--kubeconfig', config), 2);
    assert.match(terminal.err(), /^error: GET \/version: the API server did not respond .*\n$/);
  });
});

describe('portcullis status --watch', () => {
  it('ends at Ctrl-C with the exit code of the last report', async () => {
    await using server = await fakeApiServer(serving({}));
    using folder = temporaryFolder();
    const config = join(folder.path, 'config');
    writeFileSync(config, kubeconfigOf(server.url));
    const flags = ['status', '--watch', '--kubeconfig', config];
    const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [1, null]);
  });
});
