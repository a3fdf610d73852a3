import type { Clock } from '../../src/base/clock.ts';
import type { Logger } from '../../src/base/log.ts';
import type { ServingPair } from './certificate-files.ts';
import { clientOptions, fingerprintsOf, type Clients } from './client-certificates.ts';
import type { FollowedFiles } from './follow-files.ts';
import type { WebhookMetrics } from '../metrics.ts';
import type { WebhookServer } from './server.ts';

/** The serving certificate of a running server. */
export interface ServingCertificate {
  /** Returns the reason for failing readiness; undefined if the certificate is valid. */
  readonly check: () => string | undefined;
  /** Applies a new certificate to new connections; open connections stay. Throws if the certificate is unusable. */
  readonly use: (pair: ServingPair) => void;
  /** Counts and logs an unusable certificate. */
  readonly onError: (message: string) => void;
  /** Applies new authorities of client certificates, and counts and logs unusable authorities. */
  readonly clients: Pick<FollowedFiles<Clients>, 'use' | 'onError'>;
}

interface CertificateDeps {
  readonly clock: Clock;
  readonly metrics: WebhookMetrics;
  readonly log: Logger;
  /** The clients that may send reviews, which every new TLS context needs. */
  readonly clients?: Clients | undefined;
}

/** Manages the certificates of a running server. An expired certificate fails only readiness, because a renewal can follow. */
export function createServingCertificate(
  server: WebhookServer,
  pair: ServingPair,
  { clock, metrics, log, clients }: CertificateDeps,
): ServingCertificate {
  let notAfter = 0;
  let [activePair, activeClients] = [pair, clients];
  const serve = ({ cert, key }: ServingPair, allowed: Clients | undefined): void => {
    server.server.setSecureContext({ cert, key, ...clientOptions(allowed) });
  };
  const until = (): string => new Date(notAfter).toISOString();
  const record = (next: ServingPair): void => {
    notAfter = next.notAfter;
    metrics.certificateNotAfter.set(notAfter / 1_000);
    log.info({ notAfter: until() }, 'certificate loaded');
  };
  const recordClients = ({ authority }: Clients): void =>
    log.info({ fingerprints: fingerprintsOf(authority) }, 'client certificate authority loaded');
  record(pair);
  if (clients !== undefined) recordClients(clients);
  return {
    // The API server checks the start of validity, so this check covers only the end.
    check: () => (notAfter > clock.now() ? undefined : `the certificate expired at ${until()}: renew the certificate`),
    use: (next) => {
      serve(next, activeClients);
      activePair = next;
      record(next);
    },
    onError: (problem) => {
      metrics.certificateReloadErrors.inc();
      log.error({ problem }, 'certificate rejected, the previous certificate stays in use');
    },
    clients: {
      use: (next) => {
        serve(activePair, next);
        activeClients = next;
        recordClients(next);
      },
      onError: (problem) => {
        metrics.certificateReloadErrors.inc();
        log.error({ problem }, 'client certificate authority rejected, the previous authority stays in use');
      },
    },
  };
}
