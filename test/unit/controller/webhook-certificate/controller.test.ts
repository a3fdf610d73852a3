import assert from 'node:assert/strict';
import { createSigner } from '../../../../src/certificate/x509.ts';
import { PortcullisError } from '../../../../src/base/errors.ts';
import {
  AUTHORITY,
  CertificateCluster,
  HOUR_MS,
  MINUTE_MS,
  MUTATING,
  SERVING,
  SHORT,
  VALIDATING,
} from '../../../support/certificate-cluster.ts';

/** Milliseconds within which a new installation becomes active and is observed everywhere. */
const BEGINNING_MS = 5 * MINUTE_MS;
/** Milliseconds within which the authority is replaced, and its certificates are renewed many times. */
const LIFE_MS = 4.5 * HOUR_MS;

/** Stores an authority that is due for replacement, with an issued certificate. Returns the time at which both are observed everywhere. */
async function agedAuthority(cluster: CertificateCluster): Promise<number> {
  const now = cluster.clock.now();
  const validity = { notBefore: now - 7 * HOUR_MS, notAfter: now + 3 * HOUR_MS };
  const signer = await createSigner('portcullis-authority', validity);
  const request = { commonName: 'w', usage: 'server', dnsNames: ['portcullis-webhook.portcullis-system.svc'] } as const;
  const leaf = await signer.issue(request, { notBefore: now - 20 * MINUTE_MS, notAfter: now + 40 * MINUTE_MS });
  cluster.putSecret(AUTHORITY, { 'tls.crt': signer.certificate, 'tls.key': signer.key, 'ca.crt': signer.certificate });
  cluster.putSecret(SERVING, { 'tls.crt': leaf.certificate, 'tls.key': leaf.key });
  const caBundle = Buffer.from(signer.certificate).toString('base64');
  for (const what of [MUTATING, VALIDATING]) {
    const before = cluster.get(what)!;
    cluster.put(what, {
      ...before,
      webhooks: before.webhooks!.map((hook) => ({ ...hook, clientConfig: { caBundle } })),
    });
  }
  await cluster.clock.advance(2 * MINUTE_MS);
  return cluster.clock.monotonic();
}

/** Asserts that one authority is trusted alone, and has signed the served certificate. */
function assertSettled(cluster: CertificateCluster): void {
  const { fingerprint256, publicKey } = cluster.certificate(AUTHORITY);
  assert.ok(cluster.certificate(SERVING).verify(publicKey));
  for (const what of [MUTATING, VALIDATING]) assert.deepEqual(cluster.trusted(what), [fingerprint256]);
}

/** If the API server does not trust the served certificate, it skips the webhook and stores Services without rules. */
describe('the webhook certificates that the controller manages', function () {
  this.timeout(300_000);
  let cluster: CertificateCluster;
  let stop: AbortController;
  const running: Promise<void>[] = [];
  const start = (): void => void running.push(cluster.controller(stop.signal));

  beforeEach(() => {
    cluster = new CertificateCluster();
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(running.splice(0));
  });

  it('are created, trusted, renewed and rotated, and always trusted when served', async () => {
    start();
    await cluster.live(BEGINNING_MS);
    assertSettled(cluster);
    const first = cluster.certificate(AUTHORITY).fingerprint256;
    await cluster.live(LIFE_MS);
    const last = cluster.certificate(AUTHORITY).fingerprint256;
    assert.notEqual(first, last);
    assertSettled(cluster);
    assert.deepEqual(cluster.refusals(BEGINNING_MS), []);
    const issued = cluster.writes.filter((what) => what === SERVING).length;
    assert.ok(issued >= LIFE_MS / SHORT.servingMs && issued <= (2 * LIFE_MS) / SHORT.servingMs, `${issued} issued`);
    assert.ok(cluster.certificate(SERVING).validToDate.getTime() > cluster.clock.now());
  });

  it('reach the same state if the controller is killed before or after each write', async () => {
    const since = await agedAuthority(cluster);
    const aged = cluster.certificate(AUTHORITY).fingerprint256;
    let deaths = 0;
    const killed = new Set<string>();
    const begin = (): void => {
      const life = new AbortController();
      cluster.hook = (what, when) => {
        // The controller is killed before and after each stored write.
        const point = `${when} ${what} ${cluster.writes.length}`;
        if (life.signal.aborted) throw new Error('it is dead');
        if (killed.has(point)) return;
        killed.add(point);
        deaths += 1;
        life.abort(new Error('killed'));
        void cluster.clock.sleep(5_000).then(begin);
        throw new Error('it is dead');
      };
      running.push(cluster.controller(AbortSignal.any([stop.signal, life.signal])));
    };
    begin();
    await cluster.live(HOUR_MS);
    assert.ok(deaths > 10, `${deaths} deaths`);
    assert.notEqual(cluster.certificate(AUTHORITY).fingerprint256, aged);
    assertSettled(cluster);
    assert.deepEqual(cluster.refusals(since), []);
  });

  it('reach the same state if two controllers act as leader', async () => {
    const since = await agedAuthority(cluster);
    start();
    await cluster.live(300);
    start();
    await cluster.live(HOUR_MS);
    assertSettled(cluster);
    assert.deepEqual(cluster.refusals(since), []);
  });

  it('sign with an authority only after it is trusted, and the previous authority stays trusted', async () => {
    await agedAuthority(cluster);
    const old = cluster.certificate(AUTHORITY).fingerprint256;
    const served = cluster.text(SERVING);
    start();
    await cluster.live(MINUTE_MS);
    const next = cluster.certificate(AUTHORITY).fingerprint256;
    for (const what of [MUTATING, VALIDATING]) assert.deepEqual(cluster.trusted(what), [next, old]);
    assert.equal(cluster.text(SERVING), served);
    await cluster.live(90_000);
    assert.notEqual(cluster.text(SERVING), served);
    for (const what of [MUTATING, VALIDATING]) assert.deepEqual(cluster.trusted(what), [next, old]);
    await cluster.live(5 * MINUTE_MS);
    for (const what of [MUTATING, VALIDATING]) assert.deepEqual(cluster.trusted(what), [next]);
  });

  it('cause no write if nothing must change', async () => {
    start();
    await cluster.live(BEGINNING_MS);
    const { length } = cluster.writes;
    await cluster.live(20 * MINUTE_MS);
    assert.equal(cluster.writes.length, length);
  });

  describe('after a failure', () => {
    const settledFirst = async (): Promise<void> => {
      start();
      await cluster.live(BEGINNING_MS);
      assertSettled(cluster);
    };

    it('are issued again by the same authority if the Secret with the serving pair is deleted', async () => {
      await settledFirst();
      const { fingerprint256 } = cluster.certificate(AUTHORITY);
      cluster.delete(SERVING);
      await cluster.live(MINUTE_MS);
      assert.equal(cluster.certificate(AUTHORITY).fingerprint256, fingerprint256);
      assertSettled(cluster);
    });

    it("get a second authority in addition to the first if the authority's Secret is deleted", async () => {
      await settledFirst();
      const { fingerprint256 } = cluster.certificate(AUTHORITY);
      const since = cluster.clock.monotonic();
      cluster.delete(AUTHORITY);
      await cluster.live(MINUTE_MS);
      assert.equal(cluster.trusted(MUTATING).length, 2);
      await cluster.live(HOUR_MS / 2);
      assert.notEqual(cluster.certificate(AUTHORITY).fingerprint256, fingerprint256);
      assertSettled(cluster);
      assert.deepEqual(cluster.refusals(since), []);
    });

    it('recover if the Secret of the authority has a key that does not match, or no key', async () => {
      await settledFirst();
      const since = cluster.clock.monotonic();
      const { certificate, key } = await createSigner('other', { notBefore: 0, notAfter: 2 * Date.now() });
      cluster.putSecret(AUTHORITY, { 'tls.crt': cluster.text(AUTHORITY), 'tls.key': key });
      await cluster.live(HOUR_MS / 2);
      assertSettled(cluster);
      cluster.putSecret(AUTHORITY, { 'tls.crt': certificate });
      await cluster.live(HOUR_MS / 2);
      assertSettled(cluster);
      assert.deepEqual(cluster.refusals(since), []);
    });

    it('are issued by an authority that a user installed, when that authority is trusted', async () => {
      await settledFirst();
      const since = cluster.clock.monotonic();
      const validity = { notBefore: cluster.clock.now() - HOUR_MS, notAfter: cluster.clock.now() + 10 * HOUR_MS };
      const own = await createSigner('our own', validity);
      cluster.putSecret(AUTHORITY, { 'tls.crt': own.certificate, 'tls.key': own.key });
      await cluster.live(HOUR_MS / 2);
      assert.equal(cluster.certificate(AUTHORITY).subject, 'CN=our own');
      assertSettled(cluster);
      assert.deepEqual(cluster.refusals(since), []);
    });

    it('are trusted again if the webhook configurations are deleted and recreated', async () => {
      await settledFirst();
      const before = cluster.get(VALIDATING)!;
      cluster.delete(VALIDATING);
      await cluster.live(MINUTE_MS);
      assert.match(cluster.lines.join(''), /ValidatingWebhookConfiguration portcullis does not exist/);
      cluster.put(VALIDATING, { ...before, webhooks: before.webhooks!.map((hook) => ({ ...hook, clientConfig: {} })) });
      await cluster.live(2 * MINUTE_MS);
      assertSettled(cluster);
    });

    it('are not rotated while trust cannot be updated, and the missing permission is logged once', async () => {
      const since = await agedAuthority(cluster);
      const served = cluster.text(SERVING);
      const message = 'mutatingwebhookconfigurations portcullis is forbidden: grant patch by RBAC';
      cluster.refuse = (verb, what) =>
        verb === 'patch' && what === MUTATING ? new PortcullisError('Forbidden', message) : undefined;
      start();
      await cluster.live(10 * MINUTE_MS);
      assert.equal(cluster.text(SERVING), served);
      const errors = cluster.lines.filter((line) => line.includes(message) && line.includes('"level":40'));
      assert.equal(errors.length, 1);
      cluster.refuse = () => undefined;
      await cluster.live(HOUR_MS);
      assertSettled(cluster);
      assert.deepEqual(cluster.refusals(since), []);
    });

    it('get their dates from the clock of the API server, whatever the local clock shows', async () => {
      cluster.skewMs = -500 * 24 * HOUR_MS;
      await settledFirst();
      const now = cluster.clock.now() + cluster.skewMs;
      const { validFromDate, validToDate } = cluster.certificate(SERVING);
      assert.ok(validFromDate.getTime() < now && validToDate.getTime() > now);
      const { length } = cluster.writes;
      cluster.clock.jump(30 * 24 * HOUR_MS);
      cluster.skewMs -= 30 * 24 * HOUR_MS;
      await cluster.live(MINUTE_MS);
      assert.equal(cluster.writes.length, length);
    });

    it('stay unchanged while the time is unknown', async () => {
      cluster.isTimeless = true;
      start();
      await cluster.live(10 * MINUTE_MS);
      assert.deepEqual(cluster.writes, []);
      assert.match(cluster.lines.join(''), /the time for certificates is unknown/);
    });

    it('stay unchanged while cert-manager manages the same fields', async () => {
      const before = cluster.get(MUTATING)!;
      const annotations = { 'cert-manager.io/inject-ca-from': 'portcullis-system/portcullis-webhook' };
      cluster.put(MUTATING, { ...before, metadata: { ...before.metadata, annotations } });
      start();
      await cluster.live(10 * MINUTE_MS);
      assert.deepEqual(cluster.writes, []);
      assert.match(cluster.lines.join(''), /cert-manager writes its authority there/);
      cluster.put(MUTATING, before);
      await cluster.live(10 * MINUTE_MS);
      assertSettled(cluster);
    });
  });

  it('never put a key into a log line', async () => {
    await agedAuthority(cluster);
    const { key } = await createSigner('other', { notBefore: 0, notAfter: 1 });
    cluster.putSecret(SERVING, { 'tls.crt': key, 'tls.key': `${key.slice(0, 80)} broken` });
    start();
    await cluster.live(HOUR_MS);
    const text = cluster.lines.join('');
    assert.ok(cluster.lines.length > 3);
    for (const secret of [key, cluster.text(AUTHORITY, 'tls.key'), cluster.text(SERVING, 'tls.key')]) {
      const [, line = ''] = secret.split('\n');
      assert.ok(line.length > 40);
      assert.ok(!text.includes(line) && !text.includes(Buffer.from(line).toString('base64')));
    }
    assert.doesNotMatch(text, /PRIVATE KEY/);
  });
});
