import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../../src/base/clock.ts';
import {
  followPair,
  readPair,
  type ServingPair,
  type PairFiles,
} from '../../../../webhook/server/certificate-files.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import {
  expiredCertificate,
  mountedSecret,
  servingCertificate,
  type MountedSecret,
  type ServingCertificate,
} from '../../../support/serving-certificate.ts';

let first: ServingCertificate;
let second: ServingCertificate;
before(async () => {
  [first, second] = await Promise.all([servingCertificate(), servingCertificate()]);
});

/** A renewed certificate must be loaded without a restart, and a broken certificate must not replace a valid certificate. */
describe('a serving certificate', () => {
  it('is read with its expiry', async () => {
    using secret = mountedSecret(first);
    const pair = await readPair(secret);
    assert.equal(pair.cert.toString(), first.certificate);
    assert.ok(pair.notAfter > Date.now());
  });

  const unusable: Record<string, { spoil: (secret: MountedSecret) => void; message: RegExp }> = {
    'with a missing file is reported': {
      spoil: ({ certFile }) => rmSync(certFile),
      message: /failed to read the certificate .*tls\.crt .*mount the Secret/,
    },
    'without its key is reported': {
      spoil: ({ keyFile }) => rmSync(keyFile),
      message: /failed to read the private key .*tls\.key/,
    },
    'without PEM content is reported': {
      spoil: ({ certFile }) => writeFileSync(certFile, 'secret text'),
      message: /^the certificate .*tls\.crt is not valid PEM: (?!.*secret text)/,
    },
    'with a key without PEM content is reported, without any part of the key': {
      spoil: ({ keyFile }) => writeFileSync(keyFile, 'secret text'),
      message: /^the private key .*tls\.key is not valid PEM: (?!.*secret text)/,
    },
    'with another key is rejected': {
      spoil: ({ keyFile }) => writeFileSync(keyFile, second.key),
      message: /does not belong to the certificate/,
    },
  };
  for (const [title, { spoil, message }] of Object.entries(unusable)) {
    it(title, async () => {
      using secret = mountedSecret(first);
      spoil(secret);
      await assert.rejects(readPair(secret), { reason: 'InvalidConfiguration', message });
    });
  }
});

describe('a serving certificate that changes during the read', () => {
  it('is read again, so that certificate and key are consistent', async () => {
    using folder = temporaryFolder();
    const files = { certFile: join(folder.path, 'tls.crt'), keyFile: join(folder.path, 'tls.key') };
    writeFileSync(files.certFile, first.certificate);
    // The open call for a pipe waits for a reader, so when the call returns, the certificate has been read.
    execFileSync('mkfifo', [files.keyFile]);
    const reading = readPair(files);
    const pipe = await open(files.keyFile, 'w');
    writeFileSync(files.certFile, second.certificate);
    rmSync(files.keyFile);
    writeFileSync(files.keyFile, second.key);
    await pipe.writeFile(second.key);
    await pipe.close();
    const pair = await reading;
    assert.equal(pair.cert.toString(), second.certificate);
  });
});

describe('the watch of a mounted certificate', () => {
  it('loads a new pair when the Secret changes', async () => {
    await using following = await follow(first);
    following.secret.swap(second);
    assert.equal((await following.next()).cert.toString(), second.certificate);
  });

  it('polls for changes if the file system reports none', async () => {
    using secret = mountedSecret(first);
    // The files are links to another folder, whose changes a watch of the links' folder does not observe.
    using elsewhere = linksTo(secret);
    await using following = await follow(first, elsewhere, hastyClock());
    secret.swap(second);
    assert.equal((await following.next()).cert.toString(), second.certificate);
  });

  it('loads a change that only the folder of the key reports', async () => {
    using secret = mountedSecret(first);
    using elsewhere = linksTo(secret);
    await using following = await follow(first, { certFile: elsewhere.certFile, keyFile: secret.keyFile });
    secret.swap(second);
    assert.equal((await following.next()).cert.toString(), second.certificate);
  });

  it('ignores events without a change, at the start and after a change', async () => {
    await using following = await follow(first, undefined, hastyClock());
    await following.looks(3);
    assert.equal(following.used.length, 0);
    following.secret.swap(second);
    await following.next();
    await following.looks(3);
    assert.equal(following.used.length, 1);
  });

  const bad: Record<string, { pair: () => Promise<{ certificate: string; key: string }>; error: RegExp }> = {
    'an inconsistent pair': {
      pair: async () => ({ certificate: second.certificate, key: first.key }),
      error: /does not belong/,
    },
    'a broken file': { pair: async () => ({ certificate: 'no', key: 'no' }), error: /not valid PEM/ },
    'an expired certificate': { pair: () => expiredCertificate(), error: /has expired/ },
  };
  for (const [title, { pair, error }] of Object.entries(bad)) {
    it(`keeps the current pair for ${title}, logs it once, and loads the next valid pair`, async () => {
      await using following = await follow(first, undefined, hastyClock());
      following.secret.swap(await pair());
      await following.faulted();
      await following.looks(3);
      assert.deepEqual([...new Set(following.slept)], [30_000, 1_000]);
      following.secret.swap(second);
      assert.equal((await following.next()).cert.toString(), second.certificate);
      assert.equal(following.used.length, 1);
      assert.equal(following.faults.length, 1);
      assert.match(following.faults[0] ?? '', error);
    });
  }
});

/** Returns a clock with short sleeps. */
const hastyClock = (): Clock => ({ ...systemClock, sleep: (_ms, signal) => systemClock.sleep(20, signal) });

function linksTo({ certFile, keyFile }: PairFiles): PairFiles & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-links-'));
  const links = { certFile: join(folder, 'crt'), keyFile: join(folder, 'key') };
  symlinkSync(certFile, links.certFile);
  symlinkSync(keyFile, links.keyFile);
  return { ...links, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

async function follow(pair: ServingCertificate, files?: PairFiles, clock = systemClock) {
  const secret = mountedSecret(pair);
  const stop = new AbortController();
  const used: ServingPair[] = [];
  const errors: string[] = [];
  let wake = Promise.withResolvers<undefined>();
  const ring = (): void => {
    wake.resolve(undefined);
    wake = Promise.withResolvers<undefined>();
  };
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await wake.promise;
  };
  const slept: number[] = [];
  const sleep: Clock['sleep'] = (ms, signal) => {
    slept.push(ms);
    ring();
    return clock.sleep(ms, signal);
  };
  const deps = {
    files: files ?? secret,
    clock: { ...clock, sleep },
    use: (next: ServingPair) => {
      used.push(next);
      ring();
    },
    onError: (message: string) => {
      errors.push(message);
      ring();
    },
  };
  const running = followPair(await readPair(secret), deps, stop.signal);
  return {
    secret,
    used,
    faults: errors,
    /** The durations of the sleeps before each check of the files. */
    slept,
    next: async (): Promise<ServingPair> => {
      await until(() => used.length > 0);
      return used[0]!;
    },
    faulted: () => until(() => errors.length > 0),
    /** Resolves after `times` further checks of the files. */
    looks: (times: number) => {
      const goal = slept.length + times;
      return until(() => slept.length >= goal);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      secret[Symbol.dispose]();
    },
  };
}
