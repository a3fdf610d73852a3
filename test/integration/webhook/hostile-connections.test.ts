import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CATALOGUE } from '../../../src/annotation/catalogue.ts';
import { kubeconfig } from '../../../src/local/kubeconfig.ts';
import { drained, openRaw, posted, type RawConnection } from '../../support/raw-client.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';
import { mountedSecret, servingCertificate } from '../../support/serving-certificate.ts';
import { shippedEnvironment, shippedMemoryMiB } from '../../support/shipped-deployment.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';
import { BODY_LIMIT } from '../../../webhook/server/server.ts';

const MIB = 1024 * 1024;
const BANDWIDTH = CATALOGUE.bandwidth.key;
const review = (annotations: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify(aReview({ object: aService({ annotations }), uid: 'u-1' }));
const good = review();
/** Head of a request of the maximum size. */
const LARGEST = posted('', { 'Content-Length': String(BODY_LIMIT) });
/** Head of a request with a chunked body. */
const withoutLength = posted('', { 'Transfer-Encoding': 'chunked' }).replace(/Content-Length: 0\r\n/, '');

/** A client that reaches the port must not exhaust memory or connections, because all changes of Services would then fail. */
describe('the webhook with hostile connections', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  let webhook: WebhookProcess;
  let ca: string;
  let flags: readonly string[];
  /** Slow connections, which the webhook ends after seconds, so a late test awaits them. */
  let slow: readonly Promise<string>[];
  /** An idle connection, opened before the slow ones. */
  let unused: RawConnection;

  before(async () => {
    const certificate = await servingCertificate();
    ca = certificate.authority.certificate;
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-hostile-'));
    resources.defer(() => rmSync(folder, { recursive: true }));
    const nowhere = { server: 'https://127.0.0.1:1', certificateAuthority: ca };
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig(nowhere, 'nobody', { token: 'none' }));
    const secret = resources.use(mountedSecret(certificate));
    flags = [
      `--kubeconfig=${join(folder, 'kubeconfig')}`,
      `--tls-cert-file=${secret.certFile}`,
      `--tls-private-key-file=${secret.keyFile}`,
      '--log-level=warn',
    ];
    webhook = resources.use(await startWebhook(flags, { environment: shippedEnvironment('webhook') }));
    await webhook.listening();
    unused = resources.use(await openRaw(webhook.port, ca));
    slow = openSlow();
  });
  after(() => resources.disposeAsync());
  afterEach(async () => assert.match(await answer(posted(good)), /^HTTP\/1\.1 200 OK.*"uid":"u-1"/s));

  /** Opens slow connections of every kind. Returns the complete answer on each. */
  function openSlow(): readonly Promise<string>[] {
    const unencrypted = connectPlain(webhook.port, '127.0.0.1').resume();
    resources.defer(() => void unencrypted.destroy());
    const slowly = ['POST /validate HTTP/1.1\r\nHost: localhost\r\n', posted(good).slice(0, -1)].map(async (bytes) => {
      const connection = resources.use(await openRaw(webhook.port, ca));
      if (bytes !== '') connection.socket.write(bytes);
      return connection.closed;
    });
    return [once(unencrypted, 'close').then(() => ''), ...slowly];
  }

  /** Returns the answer to these bytes, from the status line to the end of the connection. */
  async function answer(bytes: string | Buffer): Promise<string> {
    using connection = await openRaw(webhook.port, ca);
    connection.socket.write(bytes);
    return await connection.until(/^HTTP\/1\.1 \d{3} [^]*?\r\n\r\n(?:[^]*[}\n]$|$)/);
  }
  async function figure(name: string): Promise<number> {
    const { text } = await webhook.probe('/metrics');
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }
  /** Records the resident memory in the title, and asserts that it is below the shipped limit. */
  const assertWithinMemory = async (context: Mocha.Context): Promise<void> => {
    const resident = await figure('process_resident_memory_bytes');
    context.runnable().title += ` (${Math.round(resident / MIB)} MiB)`;
    assert.ok(resident < shippedMemoryMiB('webhook') * MIB, `${Math.round(resident / MIB)} MiB are resident`);
  };

  const answered: Record<string, { bytes: string | Buffer; reply: RegExp }> = {
    'bytes that are not HTTP': { bytes: 'GARBAGE\r\n\r\n', reply: /^HTTP\/1\.1 400 / },
    'the preface of HTTP/2': { bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', reply: /^HTTP\/1\.1 400 / },
    'a head of 100 KB': { bytes: posted(good, { 'X-Large': 'x'.repeat(100_000) }), reply: /^HTTP\/1\.1 431 / },
    'two lengths of one body': {
      bytes: posted(good, { 'Transfer-Encoding': 'chunked' }),
      reply: /^HTTP\/1\.1 400 /,
    },
    'another content type': { bytes: posted(good, { 'Content-Type': 'text/plain' }), reply: /^HTTP\/1\.1 415 / },
    'a compressed body': {
      bytes: posted('\u001f\u008b', { 'Content-Encoding': 'gzip' }),
      reply: /^HTTP\/1\.1 400 .*not JSON/s,
    },
    'another method': { bytes: posted(good).replace('POST', 'PUT'), reply: /^HTTP\/1\.1 404 / },
    'a review with invalid UTF-8': {
      bytes: Buffer.from(posted(good).replace('"name":"web"', '"name":"\u00ff\u00fe\u00c3"'), 'latin1'),
      reply: /^HTTP\/1\.1 200 .*"allowed":true/s,
    },
    'a body in another encoding': {
      bytes: Buffer.concat([
        Buffer.from(posted('x'.repeat(good.length * 2)).replace(/x+$/, '')),
        Buffer.from(good, 'utf16le'),
      ]),
      reply: /^HTTP\/1\.1 400 .*not JSON/s,
    },
    'no body': { bytes: posted(''), reply: /^HTTP\/1\.1 400 / },
    'an incomplete body': { bytes: posted('{'), reply: /^HTTP\/1\.1 400 / },
    'null in place of a review': { bytes: posted('null'), reply: /^HTTP\/1\.1 400 / },
    'a list in place of a review': { bytes: posted('[]'), reply: /^HTTP\/1\.1 400 / },
    'a string in place of annotations': {
      bytes: posted(good.replace(/"annotations":\{[^}]*\}/, '"annotations":"x"')),
      reply: /^HTTP\/1\.1 200 .*"allowed":true/s,
    },
    'a review of an unknown version': {
      bytes: posted(good.replace('admission.k8s.io/v1', 'admission.k8s.io/v1beta1')),
      reply: /^HTTP\/1\.1 400 .*"admission\.k8s\.io\/v1beta1" is not supported/s,
    },
    'a review without a request': {
      bytes: posted('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'),
      reply: /^HTTP\/1\.1 400 /,
    },
    'an invalid timeout': {
      bytes: posted(good).replace('timeout=3s', `timeout=${'9'.repeat(1_000)}h`),
      reply: /^HTTP\/1\.1 200 .*"allowed":true/s,
    },
    'a Content-Length of 100 MB, before the body': {
      bytes: posted('', { 'Content-Length': '100000000' }),
      reply: /^HTTP\/1\.1 413 .*connection: close/is,
    },
    'an annotation of 1 MiB, cut in the message': {
      bytes: posted(review({ [BANDWIDTH]: '9'.repeat(MIB) })),
      reply: /^HTTP\/1\.1 200 .*"allowed":false/s,
    },
    '20,000 annotations': {
      bytes: posted(review(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`${BANDWIDTH}${n}`, '1'])))),
      reply: /^HTTP\/1\.1 200 /,
    },
    'a key __proto__ among annotations': {
      bytes: posted(review({ x: 'y' }).replace('"annotations":{', '"annotations":{"__proto__":{"x":1},')),
      reply: /^HTTP\/1\.1 200 .*"allowed":true/s,
    },
    'keys that every object inherits': {
      bytes: posted(review({ constructor: 'x', hasOwnProperty: 'y', toString: 'z' })),
      reply: /^HTTP\/1\.1 200 .*"allowed":true/s,
    },
    'equal keys, of which the last counts': {
      bytes: posted(review({ [BANDWIDTH]: 'x' }).replace('"annotations":{', `"annotations":{"${BANDWIDTH}":"5",`)),
      reply: /^HTTP\/1\.1 200 .*"allowed":false/s,
    },
    'an object nested 100,000 deep': {
      bytes: posted(good.replace('"spec":{', `"spec":{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},`)),
      reply: /^HTTP\/1\.1 200 .*"allowed":true/s,
    },
  };
  for (const [title, { bytes, reply }] of Object.entries(answered)) {
    it(`responds to ${title}`, async () => assert.match(await answer(bytes), reply));
  }

  it('responds to an update of an object nested 100,000 deep', async () => {
    const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
    const text = JSON.stringify(aReview({ object: aService(), oldObject: aService() }));
    assert.match(
      await answer(posted(text.replaceAll('"spec":{', `"spec":{"deep":${deep},`))),
      /^HTTP\/1\.1 200 .*"allowed":true/s,
    );
  });

  it('closes a connection that is not encrypted', async () => {
    const socket = connectPlain(webhook.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume().write(posted(good));
    await once(socket, 'close');
  });

  it('reads no more than 19 MiB of a body without a length', async function () {
    using connection = await openRaw(webhook.port, ca);
    connection.socket.write(withoutLength);
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 0x20), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 100 && connection.socket.writable; sent += 1) {
      if (!connection.socket.write(chunk)) await Promise.race([drained(connection), connection.closed]);
    }
    await connection.closed;
    assert.match(connection.received(), /^(?:HTTP\/1\.1 413 |$)/);
    await assertWithinMemory(this);
  });

  it('reads a large body while many announced bodies are never sent', async () => {
    using resources = new DisposableStack();
    for (let n = 0; n < 10; n += 1) resources.use(await openRaw(webhook.port, ca)).socket.write(LARGEST);
    assert.match(await answer(posted(review({ padding: ' '.repeat(MIB) }))), /^HTTP\/1\.1 200 /);
  });

  it('rejects one of three bodies of the largest size, and never a body of the usual size', async () => {
    using resources = new DisposableStack();
    // The webhook counts a body only as far as it is received, so each body lacks only its last byte.
    const chunk = `${BODY_LIMIT.toString(16)}\r\n`;
    const heads = [withoutLength + chunk, ...Array.from({ length: 1 }, () => LARGEST)];
    const most = Buffer.alloc(BODY_LIMIT - 1, 0x20);
    const sent = async (head: string): Promise<RawConnection> => {
      const connection = resources.use(await openRaw(webhook.port, ca));
      connection.socket.write(head);
      connection.socket.write(most);
      return connection;
    };
    const early = await Promise.all(heads.map(sent));
    while ((await figure('portcullis_webhook_inflight_body_bytes')) !== 2 * most.length);
    assert.match(await answer(posted(good)), /^HTTP\/1\.1 200 /);
    // A body that arrives too slowly is evicted, and can be retried.
    await sleep(1_100);
    await sent(LARGEST);
    const turnedAway = await Promise.race(early.map(({ closed }) => closed));
    assert.match(turnedAway, /^HTTP\/1\.1 500 .*retry-after: 1.*too many large reviews/is);
    assert.match(await answer(posted(good)), /^HTTP\/1\.1 200 /);
    resources.dispose();
    while ((await figure('portcullis_webhook_inflight_body_bytes')) !== 0);
  });

  it('responds to two concurrent reviews of the largest size within its memory limit', async function () {
    const padding = '<'.repeat((BODY_LIMIT - 100_000) / 6);
    const largest = posted(review({ padding: `\u6f22${padding}` }).replaceAll('<', '\\u003c'));
    const answers = await Promise.all([largest, largest].map(answer));
    await assertWithinMemory(this);
    for (const text of answers) assert.match(text, /^HTTP\/1\.1 200 .*"allowed":true/s);
  });

  it('responds with 1,000 idle connections, within its memory limit', async function () {
    using resources = new DisposableStack();
    for (let n = 0; n < 1_000; n += 50) {
      for (const connection of await Promise.all(Array.from({ length: 50 }, () => openRaw(webhook.port, ca)))) {
        resources.use(connection);
      }
    }
    assert.match(await answer(posted(good)), /^HTTP\/1\.1 200 /);
    await assertWithinMemory(this);
  });

  it('counts received bytes of bodies over 16 KiB, and always has capacity for smaller ones', async () => {
    using resources = new DisposableStack();
    for (const bytes of [16 * 1024, 17 * 1024]) {
      const { socket } = resources.use(await openRaw(webhook.port, ca));
      socket.write(posted('', { 'Content-Length': String(bytes) }));
      socket.write(Buffer.alloc(bytes - 1, 0x20));
    }
    while ((await figure('portcullis_webhook_inflight_body_bytes')) !== 17 * 1024 - 1);
  });

  it('stays within its memory limit if all connections use the maximum', async function () {
    using resources = new DisposableStack();
    const opened = async (bytes: number): Promise<void> => {
      const { socket } = resources.use(await openRaw(webhook.port, ca));
      socket.write(posted('', { 'Content-Length': String(bytes) }));
      socket.write(Buffer.alloc(bytes - 1, 0x20));
    };
    await Promise.all(Array.from({ length: 2 }, () => opened(BODY_LIMIT)));
    // Some connections remain for probes. Bodies of at most 16 KiB do not count towards the limit of bytes, so the webhook accepts all.
    for (let n = 0; n < 1_150; n += 50) await Promise.all(Array.from({ length: 50 }, () => opened(16 * 1024)));
    await assertWithinMemory(this);
  });

  it('evaluates only safety rules if too many reviews wait', async () => {
    await using busy = await startWebhook([...flags, '--max-in-flight=1']);
    await busy.listening();
    using connection = await openRaw(busy.port, ca);
    const faulty = { [BANDWIDTH]: 'x' };
    // Sent as one piece, so that all requests wait before the first decision.
    connection.socket.write(
      [faulty, faulty, { ...faulty, [CATALOGUE.id.key]: 'lb-1' }].map((each) => posted(review(each))).join(''),
    );
    const text = await connection.closed;
    const answers = text.split(/(?=HTTP\/1\.1 )/);
    assert.match(answers[0] ?? '', /^HTTP\/1\.1 200 .*"allowed":false/s);
    assert.match(
      answers[1] ?? '',
      /^HTTP\/1\.1 200 .*"allowed":true,"warnings":\["Service shop\/web: rules .* could not be evaluated and were skipped"\]/s,
    );
    assert.match(answers[2] ?? '', /^HTTP\/1\.1 500 .*retry-after: 1.*no time to evaluate safety rule/is);
    const { text: metrics } = await busy.probe('/metrics');
    assert.match(metrics, /^portcullis_webhook_load_shed_total\{path="validate"\} 2$/m);
  });

  it('closes connections that send too slowly, and still serves an idle connection', async () => {
    assert.deepEqual(await Promise.all(slow), ['', '', '']);
    unused.socket.write(posted(good));
    assert.match(await unused.until(/"uid":"u-1"/), /^HTTP\/1\.1 200 OK/);
  });

  it('logs no unexpected error', () => {
    assert.doesNotMatch(webhook.output(), /could not be decided/);
  });
});
