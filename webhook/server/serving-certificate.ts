import type { Clock } from '../../src/base/clock.ts';
import type { Logger } from '../../src/base/log.ts';
import type { KeyPair } from './certificate.ts';
import { clientOptions, fingerprintsOf, type Clients } from './clients.ts';
import type { FollowedFiles } from './follow-files.ts';
import type { WebhookMetrics } from '../metrics.ts';
import type { WebhookServer } from './server.ts';

export interface ServingCertificate {
  /** What is wrong with it, for readiness. */
  readonly check: () => string | undefined;
  /** Puts another in force: new connections get it, those that are open live on. Throws when it cannot be used. */
  readonly use: (pair: KeyPair) => void;
  /** Counts and logs one that cannot be used. */
  readonly onFault: (message: string) => void;
  /** The same for those who are let in. */
  readonly clients: Pick<FollowedFiles<Clients>, 'use' | 'onFault'>;
}

interface CertificateDeps {
  readonly clock: Clock;
  readonly metrics: WebhookMetrics;
  readonly log: Logger;
  /** Whom the server lets in: a new context forgets it otherwise. */
  readonly clients?: Clients | undefined;
}

/**
 * The certificate that a server serves with. One that has expired keeps the process unready, not from starting: a new one may come.
 * When it begins to be valid is not looked at, because it is the API server's clock that counts.
 */
export function createServingCertificate(
  server: WebhookServer,
  pair: KeyPair,
  { clock, metrics, log, clients }: CertificateDeps,
): ServingCertificate {
  let notAfter = 0;
  let [served, letIn] = [pair, clients];
  const serve = ({ cert, key }: KeyPair, whom: Clients | undefined): void => {
    server.server.setSecureContext({ cert, key, ...clientOptions(whom) });
  };
  const until = (): string => new Date(notAfter).toISOString();
  const note = (next: KeyPair): void => {
    notAfter = next.notAfter;
    metrics.certificateNotAfter.set(notAfter / 1_000);
    log.info({ notAfter: until() }, 'certificate in force');
  };
  const noteClients = ({ authority }: Clients): void =>
    log.info({ fingerprints: fingerprintsOf(authority) }, 'authority of clients in force');
  note(pair);
  if (clients !== undefined) noteClients(clients);
  return {
    check: () => (notAfter > clock.now() ? undefined : `the certificate expired at ${until()}: renew it`),
    use: (next) => {
      serve(next, letIn);
      served = next;
      note(next);
    },
    onFault: (problem) => {
      metrics.certificateFaults.inc();
      log.error({ problem }, 'the new certificate cannot be used, the one in force stays');
    },
    clients: {
      use: (next) => {
        serve(served, next);
        letIn = next;
        noteClients(next);
      },
      onFault: (problem) => {
        metrics.certificateFaults.inc();
        log.error({ problem }, 'the new authority of clients cannot be used, the one in force stays');
      },
    },
  };
}
