import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, fakeApiServer, status, type FakeApiServer } from '../../support/http-api-server.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';
import { kubeconfigOf, listOf } from '../../support/kubeconfig-of.ts';
import { manifestText } from '../../support/manifest-text.ts';
import { aTerminal } from '../../support/terminal.ts';

const PREFIX = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const INVENTORY = '/apis/portcullis.io/v1alpha1';

const storedService = (name: string, annotations: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop', annotations, uid: `uid-${name}`, resourceVersion: '1' },
  spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] },
});

/** The answers of the API server by path, constant or computed. Other paths are not found. */
type Answers = Readonly<Record<string, readonly [code: number, body: object | (() => object)]>>;

const FACTS: Answers = {
  [`${INVENTORY}/classicloadbalancers`]: [200, listOf(aClb('lb-1', { owner: 'api-server' }), aClb('lb-2'))],
  // Each read sets the current time, because the inventory would become stale during slow tests.
  [`${INVENTORY}/cloudinventories`]: [200, () => listOf(aCloudInventory({ observedAt: new Date().toISOString() }))],
  '/api/v1/services': [
    200,
    listOf(storedService('first', { [`${PREFIX}id`]: 'lb-2', [`${PREFIX}force-override-listeners`]: 'true' })),
  ],
};
const forbidden = (what: string) => [403, status(403, `${what} is forbidden: User "dev" cannot`, 'Forbidden')] as const;

/** With a cluster, lint must find what the webhook would find, and must change nothing. */
describe('portcullis lint with a cluster', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let server: FakeApiServer;
  let answers: Answers;
  const at = (name: string): string => join(folder.path, name);

  beforeEach(async () => {
    folder = temporaryFolder();
    answers = {};
    server = await fakeApiServer(({ path }, response) => {
      const [code, body] = answers[path] ?? [404, status(404, `${path} not found`, 'NotFound')];
      answer(response, code, typeof body === 'function' ? body() : body);
    });
    writeFileSync(at('config'), kubeconfigOf(server.url));
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function lint(text: string, ...args: readonly string[]) {
    writeFileSync(at('web.yaml'), text);
    const terminal = aTerminal();
    const code = await terminal.run('lint', '--kubeconfig', at('config'), ...args, at('web.yaml'));
    return { code, out: terminal.out(), err: terminal.err() };
  }
  const BANDWIDTH = { annotations: { bandwidth: '"9000"' } };

  it('warns about violations of the stored object, in the namespace of the context', async () => {
    answers = {
      '/api/v1/namespaces/shop/services/web': [200, storedService('web', { [`${PREFIX}bandwidth`]: '9000' })],
    };
    const { code, out } = await lint(manifestText(BANDWIDTH), '--against', 'cluster');
    assert.equal(code, 0);
    assert.match(out, /: warning: Service shop\/web: .*: Invalid value: "9000": /);
  });

  it('treats a missing object as new', async () => {
    const { code, out } = await lint(manifestText(BANDWIDTH), '--against', 'cluster', '-n', 'stage');
    assert.equal(code, 1);
    assert.match(out, /: error: Service stage\/web: /);
    assert.deepEqual(
      server.seen.map(({ path }) => path),
      ['/api/v1/namespaces/stage/services/web'],
    );
  });

  it('reads a repeated object once, and no object without a name', async () => {
    const nameless = 'apiVersion: v1\nkind: Service\nmetadata: {generateName: web-}\n';
    await lint(`${manifestText()}---\n${manifestText()}---\n${nameless}`, '--against', 'cluster');
    assert.equal(server.seen.length, 1);
  });

  const verdicts: Readonly<Record<string, readonly [id: string, port: string, message: RegExp]>> = {
    'reports the id of a load balancer that serves an API server': ['lb-1', 'port: 80', /API server/],
    'reports an id that no load balancer has': [
      'lb-3',
      'port: 80',
      /Not found: "lb-3": no such load balancer in cn-hangzhou; /,
    ],
    'reports a port that a stored Service uses': [
      'lb-2',
      'port: 80',
      /Duplicate value: "80\/tcp": already used by Service shop\/first on load balancer lb-2; /,
    ],
  };
  for (const [title, [id, port, message]] of Object.entries(verdicts)) {
    it(title, async () => {
      answers = FACTS;
      const annotations = { id: `"${id}"`, 'force-override-listeners': '"true"' };
      const { code, out, err } = await lint(manifestText({ annotations, ports: [port] }), '--facts', 'cluster');
      assert.equal(code, 1, err);
      assert.match(out, message);
    });
  }

  it('only reads, and identifies itself', async () => {
    answers = FACTS;
    const { code, err } = await lint(manifestText(), '--facts', 'cluster', '--against', 'cluster', '--context', 'dev');
    assert.equal(code, 0, err);
    assert.equal(server.seen.length, 4);
    for (const { method, headers } of server.seen) {
      assert.equal(method, 'GET');
      assert.match(headers['user-agent'] ?? '', /^portcullis-lint\//);
      assert.equal(headers.authorization, 'Bearer sesame');
    }
  });

  const denied: Readonly<
    Record<string, { readonly answers: Answers; readonly args: readonly string[]; readonly message: RegExp }>
  > = {
    'an object that the user may not read': {
      answers: { '/api/v1/namespaces/shop/services/web': forbidden('services "web"') },
      args: ['--against', 'cluster'],
      message:
        /^error: failed to read the cluster: GET \S+: services "web" is forbidden: .*grant the permission by RBAC/,
    },
    'facts that the user may not read': {
      answers: { ...FACTS, '/api/v1/services': forbidden('services') },
      args: ['--facts', 'cluster'],
      message: /^error: failed to read the cluster: GET \S+: services is forbidden/,
    },
    'a cluster without Portcullis': {
      answers: {},
      args: ['--facts', 'cluster'],
      message:
        /^error: failed to read the cluster: the cluster has no \w+\.portcullis\.io: install Portcullis in the cluster, or use a file instead$/,
    },
    'an inventory of another version': {
      answers: {
        ...FACTS,
        [`${INVENTORY}/classicloadbalancers`]: [200, listOf(aClb('lb-1', { owner: 'us' as 'user' }))],
      },
      args: ['--facts', 'cluster'],
      message:
        /^error: a ClassicLoadBalancer of the cluster is invalid: status\.owner: .*check that the cluster runs Portcullis/,
    },
    'an unknown context': {
      answers: {},
      args: ['--against', 'cluster', '--context', 'lost'],
      message: /^error: no context "lost" in \S+config; the contexts are: dev; choose a context with --context$/,
    },
    'the flag --context without a flag that reads the cluster': {
      answers: {},
      args: ['--context', 'dev'],
      message:
        /^error: --kubeconfig and --context have no effect, because no flag requires a cluster: set --against, --facts or --policy to cluster/,
    },
  };
  for (const [title, row] of Object.entries(denied)) {
    it(`answers ${title} with a single line and exit code 2`, async () => {
      ({ answers } = row);
      const { code, out, err } = await lint(manifestText(), ...row.args);
      assert.deepEqual([code, out, err.split('\n').length], [2, '', 2], err);
      assert.match(err.trimEnd(), row.message);
    });
  }

  it('reports an unreachable cluster', async () => {
    await server[Symbol.asyncDispose]();
    server = await fakeApiServer((_seen, response) => void response.destroy());
    const { code, err } = await lint(manifestText(), '--against', 'cluster');
    assert.equal(code, 2);
    assert.match(
      err,
      /^error: failed to read the cluster: .*the API server did not respond \(.*ECONNREFUSED.*running and reachable\n$/,
    );
  });
});
