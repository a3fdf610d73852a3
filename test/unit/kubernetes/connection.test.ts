import assert from 'node:assert/strict';
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasReason, type Reason } from '../../../src/base/errors.ts';
import { inClusterConnection } from '../../../src/kubernetes/connection.ts';
import { kubeconfigConnection } from '../../../src/kubernetes/kubeconfig.ts';
import { tokenFile } from '../../../src/kubernetes/token-file.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const failsWith = (reason: Reason, title: string) => (error: unknown) => {
  assert.ok(hasReason(error, reason), String(error));
  assert.ok(error.message.includes(title), error.message);
  return true;
};

/** Covers tokens, certificates and kubeconfigs, without which a process has no access. */
describe('the connection to the API server', () => {
  let folder: string;
  let clock: VirtualClock;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portcullis-connection-'));
    clock = new VirtualClock();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  describe('with a token file', () => {
    it('reads the file at most once per minute', async () => {
      const token = tokenFile(await file('token', 'first\n'), clock);
      assert.equal(await token(), 'first');
      await file('token', 'second');
      await clock.advance(59_000);
      assert.equal(await token(), 'first');
      await clock.advance(1_000);
      assert.equal(await token(), 'second');
    });

    it('reads the file at once if its token was rejected', async () => {
      const token = tokenFile(await file('token', 'first'), clock);
      await token();
      await file('token', 'second');
      assert.equal(await token('first'), 'second');
    });

    it('tolerates a file that is missing for a moment', async () => {
      const path = await file('token', 'first');
      const token = tokenFile(path, clock);
      await token();
      await unlink(path);
      await clock.advance(60_000);
      assert.equal(await token(), 'first');
      await assert.rejects(token('first'), failsWith('Unauthorized', 'failed to read token file'));
    });

    it('rejects an empty file, and a file of several lines', async () => {
      await assert.rejects(tokenFile(await file('token', '\n'), clock)(), failsWith('Unauthorized', 'is empty'));
      await assert.rejects(
        tokenFile(await file('token', 'two\nlines'), clock)(),
        failsWith('Unauthorized', 'characters that are invalid in a token'),
      );
    });
  });

  describe('without a kubeconfig', () => {
    const environment = { KUBERNETES_SERVICE_HOST: '172.21.0.1', KUBERNETES_SERVICE_PORT: '443' };

    it('uses the environment and the service account of the pod', async () => {
      await file('ca.crt', PEM);
      await file('token', 'sesame');
      const connection = await inClusterConnection(environment, clock, folder);
      assert.equal(connection.server, 'https://172.21.0.1:443');
      assert.equal(connection.ca, PEM);
      assert.equal(await connection.token?.(), 'sesame');
    });

    it('writes an IPv6 address as in URLs', async () => {
      await file('ca.crt', PEM);
      await file('token', 'sesame');
      const connection = await inClusterConnection(
        { ...environment, KUBERNETES_SERVICE_HOST: 'fd00::1' },
        clock,
        folder,
      );
      assert.equal(connection.server, 'https://[fd00::1]:443');
    });

    it('fails outside of a pod, with the advice to set --kubeconfig', async () => {
      await assert.rejects(
        inClusterConnection({}, clock, folder),
        failsWith('InvalidConfiguration', 'set --kubeconfig'),
      );
    });

    it('requires the files that kubelet mounts', async () => {
      await assert.rejects(
        inClusterConnection(environment, clock, folder),
        failsWith('InvalidConfiguration', 'the certificate authority of the service account'),
      );
      await file('ca.crt', PEM);
      await assert.rejects(
        inClusterConnection(environment, clock, folder),
        failsWith('Unauthorized', 'failed to read token file'),
      );
    });
  });

  describe('with a kubeconfig', () => {
    const config = (user: object, cluster: object = {}, more: object = {}): string =>
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://api.example.org:6443/', ...cluster } }],
        users: [{ name: 'u', user }],
        contexts: [
          { name: 'x', context: { cluster: 'c', user: 'u' } },
          { name: 'broken', context: { cluster: 'missing', user: 'u' } },
        ],
        'current-context': 'x',
        ...more,
      });
    const read = async (text: string, context?: string) =>
      kubeconfigConnection({ path: await file('config', text), clock, ...(context === undefined ? {} : { context }) });

    it('uses certificates in the file', async () => {
      const user = { 'client-certificate-data': base64(PEM), 'client-key-data': base64(PEM) };
      const cluster = { 'certificate-authority-data': base64(PEM), 'tls-server-name': 'kubernetes' };
      assert.deepEqual(await read(config(user, cluster)), {
        server: 'https://api.example.org:6443',
        ca: PEM,
        clientCertificate: PEM,
        clientKey: PEM,
        serverName: 'kubernetes',
      });
    });

    it('uses files by paths relative to the kubeconfig', async () => {
      await file('ca.pem', PEM);
      await file('token', 'sesame');
      const connection = await read(
        config({ tokenFile: 'token', token: 'ignored' }, { 'certificate-authority': 'ca.pem' }),
      );
      assert.equal(connection.ca, PEM);
      assert.equal(await connection.token?.(), 'sesame');
    });

    it('uses a token in the file', async () => {
      assert.equal(await (await read(config({ token: 'sesame' }))).token?.(), 'sesame');
    });

    it('reads YAML, and treats empty values as unset', async () => {
      const text = [
        'apiVersion: v1',
        'kind: Config',
        'clusters: [{name: c, cluster: {server: "http://127.0.0.1:8080", certificate-authority: ""}}]',
        'users: [{name: u, user: null}]',
        'contexts: [{name: x, context: {cluster: c, user: u}}]',
        'current-context: x',
      ].join('\n');
      assert.deepEqual(await read(text), { server: 'http://127.0.0.1:8080' });
    });

    it('reads YAML in flow style, which starts like JSON', async () => {
      const text = `{
        clusters: [{ name: c, cluster: { server: "http://127.0.0.1:8080" } }], # comment
        users: [{ name: u, user: { token: sesame } }],
        contexts: [{ name: x, context: { cluster: c, user: u } }],
        current-context: x,
      }`;
      assert.equal((await read(text)).server, 'http://127.0.0.1:8080');
    });

    it('uses the connection that the caller creates for a credential plug-in', async () => {
      const path = await file('config', config({ exec: { command: 'aws' } }));
      const requests: string[] = [];
      const plugins = async (...names: string[]) => {
        requests.push(...names);
        return { server: 'https://plugged' };
      };
      assert.deepEqual(await kubeconfigConnection({ path, clock, plugins }), { server: 'https://plugged' });
      assert.deepEqual(requests, [path, 'x']);
    });

    const wrong: Record<string, readonly [string, string, string?]> = {
      'a text that is not YAML': ['a: [', 'the file is neither YAML nor JSON'],
      'a document of another kind': ['[]', 'the content is not a kubeconfig'],
      'a server that is not a URL': [
        config({}, { server: 'api' }),
        'clusters.0.cluster.server: expected the URL of an API server',
      ],
      'a value of the wrong type': [config({ token: 7 }), 'users.0.user.token'],
      'a missing current context': [
        config({}, {}, { 'current-context': '' }),
        'current-context is not set; the contexts are: x, broken',
      ],
      'an unknown context': [config({}), 'context "y" does not exist; the contexts are: x, broken', 'y'],
      'a context with an unknown cluster': [
        config({}),
        'names cluster "missing", which the file does not define',
        'broken',
      ],
      'a context with an unknown user': [
        config({}, {}, { users: [] }),
        'names user "u", which the file does not define',
      ],
      'a credential plug-in, which only some processes run': [
        config({ exec: {} }),
        'credentials from a plug-in (exec)',
      ],
      'a password': [config({ username: 'admin', password: 'secret' }), 'the user has a password'],
      'a proxy': [config({}, { 'proxy-url': 'http://proxy' }), 'proxy-url'],
      'a certificate without its key': [
        config({ 'client-certificate-data': base64(PEM) }),
        'only one of client certificate and client key: set both',
      ],
      'an invalid certificate': [
        config({}, { 'certificate-authority-data': base64('nonsense') }),
        'the certificate authority is not PEM text in base64',
      ],
      'a missing certificate file': [config({}, { 'certificate-authority': 'gone.pem' }), 'the certificate authority'],
      'a token with a line break': [config({ token: 'se\nsame' }), 'characters that are invalid in a token'],
    };
    for (const [title, [text, expected, context]] of Object.entries(wrong)) {
      it(`reports ${title}`, () =>
        assert.rejects(read(text, context), (error: Error) => {
          assert.ok(error.message.includes(expected), error.message);
          assert.ok(!error.message.includes('secret') && !error.message.includes('same'), 'a secret is in the message');
          return true;
        }));
    }

    it('reports a missing file', async () => {
      const path = join(folder, 'nowhere');
      await assert.rejects(
        kubeconfigConnection({ path, clock }),
        failsWith('InvalidConfiguration', `failed to read the kubeconfig file ${JSON.stringify(path)}`),
      );
    });
  });
});
