import type { X509Certificate } from 'node:crypto';
import type { Registry } from 'prom-client';
import { jitteredBackoffMs } from '../../base/backoff.ts';
import { decide, TERMS, type RotationDecision, type RotationStep, type Terms } from '../../certificate/rotation.ts';
import { bundleOf, CERTIFICATE, PRIVATE_KEY, textIn, TRUSTED } from '../../certificate/certificate-secret.ts';
import type { Credential, Signer, Validity } from '../../certificate/x509.ts';
import type { Clock } from '../../base/clock.ts';
import { hasReason, messageOf, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { certificateMetrics, type CertificateMetrics } from './metrics.ts';
import {
  AUTHORITY_SECRET,
  DNS_NAME,
  readCertificates,
  SERVING_SECRET,
  writeSecret,
  writeTrust,
  type CertificateWriter,
  type StoredCertificates,
} from './store.ts';

/** The functions that create certificates, which `src/certificate/x509.ts` implements. */
export interface CertificateIssuer {
  createSigner(commonName: string, validity: Validity): Promise<Signer>;
  signerOf(pair: Credential): Signer;
}

export interface CertificateParts {
  readonly writer: CertificateWriter;
  readonly issuer: CertificateIssuer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  /** Returns a random number from 0 up to 1, for the jitter of retries. */
  readonly random: () => number;
  /** The periods of validity and renewal; `TERMS` if undefined. */
  readonly terms?: Terms;
}

/** The controller of the webhook's certificates, and of the trusted authorities in the webhook configurations. */
export interface CertificateKeeper {
  /** Reconciles until the signal aborts, then rejects with the reason of the signal. Logs and retries failures. */
  run(signal: AbortSignal): Promise<void>;
}

/** The time between two reconciles, in milliseconds. Short, because users can delete the Secrets at any time. */
const INTERVAL_MS = 30_000;
/** The time from an applied step to the next reconcile, in milliseconds. Short, because the next step may already be due. */
const SOON_MS = 1_000;
/** The interval between reconciles during an overlap, as a share of the overlap. In an overlap, clients trust an old and a new authority. */
const OVERLAP_SHARE = 1 / 4;
const RETRY = { baseMs: SOON_MS, maxMs: 60_000 };

/** Creates the controller of the webhook's certificates. Call only while the process leads. */
export function createCertificateKeeper(parts: CertificateParts): CertificateKeeper {
  return new Keeper(parts);
}

class Keeper implements CertificateKeeper {
  readonly #parts: CertificateParts;
  readonly #terms: Terms;
  readonly #metrics: CertificateMetrics;
  /** The authority that all webhook configurations trust, and the monotonic time at which the trust began. */
  #trusted: { readonly fingerprint: string; readonly since: number } | undefined;
  #failures = 0;
  #lastReported = '';

  constructor(parts: CertificateParts) {
    this.#parts = parts;
    this.#terms = parts.terms ?? TERMS;
    this.#metrics = certificateMetrics(parts.registry);
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      await this.#parts.clock.sleep(await this.#reconcile(signal), signal);
    }
  }

  /** Runs one reconcile. Returns the milliseconds until the next reconcile. */
  async #reconcile(signal: AbortSignal): Promise<number> {
    try {
      const { failures, decision } = await this.#rotate(signal);
      signal.throwIfAborted();
      if (failures.length > 0) return this.#failed(failures);
      this.#failures = 0;
      this.#lastReported = '';
      if (decision.steps.length > 0) return SOON_MS;
      return Math.max(SOON_MS, Math.min(INTERVAL_MS, (decision.shorterWaitMs ?? Infinity) * OVERLAP_SHARE));
    } catch (error) {
      signal.throwIfAborted();
      return this.#failed([error]);
    }
  }

  /** Reads the stored certificates, decides the next steps, and applies them. */
  async #rotate(
    signal: AbortSignal,
  ): Promise<{ readonly failures: readonly unknown[]; readonly decision: RotationDecision }> {
    const stored = await readCertificates(this.#parts.writer, signal);
    const decision = decide(
      {
        now: stored.now,
        authority: stored.authority && (stored.authority.data ?? {}),
        serving: stored.serving && (stored.serving.data ?? {}),
        configurations: stored.configurations.map(({ kind, webhooks = [] }) => ({
          kind,
          bundles: webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? ''),
        })),
        isComplete: stored.failures.length === 0,
        trustedForMs: (authority) => this.#trustedForMs(authority),
        dnsName: DNS_NAME,
      },
      this.#terms,
    );
    this.#remember(decision, stored.failures.length === 0);
    this.#metrics.seen(decision);
    const failures = [...stored.failures];
    for (const step of decision.steps) {
      try {
        await this.#applyStep(step, stored, decision.authority, signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
      }
    }
    return { failures: [...failures, ...stored.missing.map(missing)], decision };
  }

  #trustedForMs({ fingerprint256 }: X509Certificate): number {
    const { fingerprint, since } = this.#trusted ?? { fingerprint: '', since: 0 };
    return fingerprint === fingerprint256 ? this.#parts.clock.monotonic() - since : 0;
  }

  #remember({ authority, isTrusted }: RotationDecision, isComplete: boolean): void {
    if (authority === undefined || !isTrusted || !isComplete) this.#trusted = undefined;
    else if (this.#trusted?.fingerprint !== authority.fingerprint256) {
      this.#trusted = { fingerprint: authority.fingerprint256, since: this.#parts.clock.monotonic() };
    }
  }

  async #applyStep(
    step: RotationStep,
    stored: StoredCertificates,
    authority: X509Certificate | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { writer, log } = this.#parts;
    switch (step.kind) {
      case 'authority': {
        const secretData = await this.#newAuthority(stored.now, step.trusted);
        await writeSecret(writer, AUTHORITY_SECRET, stored.authority, secretData, signal);
        log.info({ why: step.why, alsoTrusted: step.trusted.length }, 'certificate authority created');
        return;
      }
      case 'record':
        await writeSecret(writer, AUTHORITY_SECRET, stored.authority, { [TRUSTED]: bundleOf(step.trusted) }, signal);
        return;
      case 'trust': {
        const configuration = stored.configurations.find(({ kind }) => kind === step.configuration);
        if (configuration === undefined) return;
        await writeTrust(writer, configuration, bundleOf(step.trusted), signal);
        log.info(
          { configuration: step.configuration, authorities: step.trusted.length },
          'trusted authorities written',
        );
        return;
      }
      case 'serving': {
        const secretData = await this.#newServing(stored, authority);
        await writeSecret(writer, SERVING_SECRET, stored.serving, secretData, signal);
        log.info({ why: step.why }, 'serving certificate issued');
      }
    }
  }

  async #newAuthority(now: number, trusted: readonly X509Certificate[]): Promise<Readonly<Record<string, string>>> {
    const { authorityMs, backdatedMs } = this.#terms;
    const validity = { notBefore: now - backdatedMs, notAfter: now + authorityMs };
    const { certificate, key } = await this.#parts.issuer.createSigner('portcullis-authority', validity);
    const whole = `${certificate.trimEnd()}\n`;
    return { [CERTIFICATE]: whole, [PRIVATE_KEY]: key, [TRUSTED]: whole + bundleOf(trusted) };
  }

  async #newServing(
    { now, authority: secret }: StoredCertificates,
    authority: X509Certificate | undefined,
  ): Promise<Readonly<Record<string, string>>> {
    const { servingMs, backdatedMs } = this.#terms;
    const notAfter = Math.min(now + servingMs, authority?.validToDate.getTime() ?? Infinity);
    const { certificate, key } = await this.#signer(secret?.data).issue(
      { commonName: 'portcullis-webhook', usage: 'server', dnsNames: [DNS_NAME] },
      { notBefore: now - backdatedMs, notAfter },
    );
    const own = authority === undefined ? [] : [authority];
    return { [CERTIFICATE]: `${certificate.trimEnd()}\n`, [PRIVATE_KEY]: key, [TRUSTED]: bundleOf(own) };
  }

  #signer(data: Readonly<Record<string, string>> | undefined): Signer {
    try {
      return this.#parts.issuer.signerOf({ certificate: textIn(data, CERTIFICATE), key: textIn(data, PRIVATE_KEY) });
    } catch {
      // The caught error can quote the private key, so the new error has no cause.
      throw new PortcullisError(
        'InvalidConfiguration',
        `the authority in the Secret portcullis-system/${AUTHORITY_SECRET} cannot sign; delete the Secret, and the controller creates another authority`,
      );
    }
  }

  /** Logs failures as a warning, but a repeated cause or a first conflict only as a debug line. Returns the milliseconds until the retry. */
  #failed(failures: readonly unknown[]): number {
    const { log, random } = this.#parts;
    const sentences = [...new Set(failures.map(messageOf))].join('; ');
    for (const failure of failures) this.#metrics.failed(failure instanceof PortcullisError ? failure.reason : 'Bug');
    const isRace = failures.every((failure) => hasReason(failure, 'Conflict'));
    log[sentences === this.#lastReported || (isRace && this.#failures === 0) ? 'debug' : 'warn'](
      { failures: this.#failures, error: sentences },
      'failed to manage the certificates of the webhook',
    );
    this.#lastReported = sentences;
    this.#failures += 1;
    return jitteredBackoffMs(RETRY, this.#failures, random);
  }
}

const missing = (kind: string): PortcullisError =>
  new PortcullisError(
    'NotFound',
    `${kind} portcullis does not exist, so API servers call no webhook; apply the installation again, or start the controller without --self-managed-certificates`,
  );
