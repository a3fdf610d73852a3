import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../src/base/clock.ts';
import { PortcullisError, messageOf } from '../../src/base/errors.ts';
import { followFiles } from './follow-files.ts';

/** The files of the serving certificate and its private key. */
export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The serving certificate (PEM, the leaf first) and its private key. */
export interface ServingPair {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The end of validity, in milliseconds since the epoch. */
  readonly notAfter: number;
}

const unusable = (message: string, cause?: unknown): PortcullisError =>
  new PortcullisError('InvalidConfiguration', message, cause === undefined ? {} : { cause });

async function read(file: string, what: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw unusable(
      `failed to read the ${what} ${file} (${messageOf(error)}): mount the Secret with the certificate of the webhook, or correct the path`,
      error,
    );
  }
}

/** Reads certificate and key of one version of the Secret. Reads again if the certificate changes in between. */
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
    // The parser's message can quote its input, which may be the private key.
    throw unusable(`the ${what} ${file} is not valid PEM: use the file that cert-manager created`, error);
  }
}

/** Reads the serving certificate and its key. Throws `InvalidConfiguration` if the pair is unusable. */
export async function readPair({ certFile, keyFile }: PairFiles): Promise<ServingPair> {
  const { cert, key } = await readBoth({ certFile, keyFile });
  const certificate: X509Certificate = parse('certificate', certFile, () => new X509Certificate(cert));
  const privateKey: KeyObject = parse('private key', keyFile, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw unusable(
      `the private key ${keyFile} does not belong to the certificate ${certFile}: use both files of one Secret`,
    );
  }
  return { cert, key, notAfter: certificate.validToDate.getTime() };
}

const samePair = (a: ServingPair, b: ServingPair): boolean => a.cert.equals(b.cert) && a.key.equals(b.key);

/** The dependencies of `followPair`. */
export interface RotationDeps {
  readonly files: PairFiles;
  readonly clock: Clock;
  /** Applies a new certificate. Throws if the certificate is unusable. */
  readonly use: (pair: ServingPair) => void;
  /** Receives the message of an error. A repeated message is passed only once. */
  readonly onError: (message: string) => void;
}

/** Applies each new certificate from the files. Keeps the present certificate if the new certificate is unusable. */
export const followPair = (
  current: ServingPair,
  { files, clock, use, onError }: RotationDeps,
  signal: AbortSignal,
): Promise<void> =>
  followFiles(
    current,
    {
      files: [files.certFile, files.keyFile],
      clock,
      read: () => readPair(files),
      isSame: samePair,
      use: (pair) => {
        if (pair.notAfter <= clock.now())
          throw unusable(`the new certificate ${files.certFile} has expired: renew the certificate`);
        use(pair);
      },
      onError,
    },
    signal,
  );
