import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../src/clock.ts';
import { PortcullisError, messageOf } from '../src/errors.ts';

export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A serving certificate (leaf first, PEM) with its key. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
}

const unusable = (message: string, cause?: unknown): PortcullisError =>
  new PortcullisError('InvalidConfiguration', message, cause === undefined ? {} : { cause });

async function read(file: string, what: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw unusable(
      `the ${what} ${file} cannot be read (${messageOf(error)}): mount the Secret with the webhook's certificate there, or name the right file`,
      error,
    );
  }
}

/** Both files of one moment: when the Secret is swapped between the two readings, they are read again. */
async function readBoth(files: PairFiles, attempts = 3): Promise<{ readonly cert: Buffer; readonly key: Buffer }> {
  const cert = await read(files.certFile, 'certificate');
  const key = await read(files.keyFile, 'private key');
  const again = await read(files.certFile, 'certificate');
  return attempts === 1 || again.equals(cert) ? { cert, key } : readBoth(files, attempts - 1);
}

function parse<T>(what: string, file: string, parser: () => T): T {
  try {
    return parser();
  } catch (error) {
    // The parser's own message can quote the input, and the input can be a key.
    throw unusable(`the ${what} ${file} is not one in PEM form: give the file that cert-manager wrote`, error);
  }
}

/** Reads and checks a pair. Throws `InvalidConfiguration` when a file is missing, is none, or the two do not belong together. */
export async function readPair({ certFile, keyFile }: PairFiles): Promise<KeyPair> {
  const { cert, key } = await readBoth({ certFile, keyFile });
  const certificate: X509Certificate = parse('certificate', certFile, () => new X509Certificate(cert));
  const privateKey: KeyObject = parse('private key', keyFile, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw unusable(
      `the private key ${keyFile} does not belong to the certificate ${certFile}: give the two of one Secret`,
    );
  }
  return { cert, key, notAfter: certificate.validToDate.getTime() };
}

const samePair = (a: KeyPair, b: KeyPair): boolean => a.cert.equals(b.cert) && a.key.equals(b.key);

/** Polled as well as watched: a watch can be refused for want of handles, and some file systems report nothing. */
const POLL_MS = 30_000;
/** Certificate and key are two files, and where nothing swaps both at once, one can be new and the other old for a moment. */
const RETRY_MS = 1_000;

export interface RotationDeps {
  readonly files: PairFiles;
  readonly clock: Clock;
  /** Puts a new pair in force. One that it throws at is a bad one. */
  readonly use: (pair: KeyPair) => void;
  /** Told once of each different fault. */
  readonly onFault: (message: string) => void;
}

/** Wakes the follower when something in a folder changes. Kubelet swaps the link `..data` there, which changes no watched file. */
function folderWatch(folders: ReadonlySet<string>, wake: () => void): Disposable {
  const watchers = [...folders].flatMap((folder) => {
    try {
      return [watch(folder, { persistent: false }, wake).on('error', () => undefined)];
    } catch {
      return [];
    }
  });
  return { [Symbol.dispose]: () => watchers.forEach((watcher) => watcher.close()) };
}

class Alarm {
  #controller = new AbortController();
  /** Ends the present sleep; one that is rung while nobody sleeps ends the next one. */
  readonly ring = (): void => this.#controller.abort();

  /** Answers whether to go on: not once the signal is aborted. */
  async sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
    await clock.sleep(ms, AbortSignal.any([signal, this.#controller.signal])).catch(() => undefined);
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
    return !signal.aborted;
  }
}

/**
 * Follows the files and puts each new pair in force, until the signal is aborted. A pair that is unreadable, does not fit together or has
 * expired changes nothing: the one in force stays. Resolves on abort, rejects never.
 */
export async function followPair(current: KeyPair, deps: RotationDeps, signal: AbortSignal): Promise<void> {
  const { files, clock, use, onFault } = deps;
  const alarm = new Alarm();
  using folders = new DisposableStack();
  folders.use(folderWatch(new Set([dirname(files.certFile), dirname(files.keyFile)]), alarm.ring));
  let inForce = current;
  let fault: string | undefined;
  while (await alarm.sleep(fault === undefined ? POLL_MS : RETRY_MS, clock, signal)) {
    try {
      const pair = await readPair(files);
      if (!samePair(pair, inForce)) {
        if (pair.notAfter <= clock.now()) throw unusable(`the new certificate ${files.certFile} has expired: renew it`);
        use(pair);
        inForce = pair;
      }
      fault = undefined;
    } catch (error) {
      const message = messageOf(error);
      if (message !== fault) onFault(message);
      fault = message;
    }
  }
}
