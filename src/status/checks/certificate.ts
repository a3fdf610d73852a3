import type { X509Certificate } from 'node:crypto';
import { certificatesIn, isIssuedBy } from '../../certificate/certificate-secret.ts';
import { valueOf } from '../read-result.ts';
import type { StatusFacts } from '../facts.ts';
import { counted } from '../../base/counted.ts';
import { unreadLine, type StatusLine } from '../line.ts';
import { configurationsIn } from './webhook.ts';
import { workloadsOf } from '../workloads.ts';

const DAY_MS = 86_400_000;
/** A certificate with fewer remaining days of validity is reported as wrong. The alert PortcullisCertificateExpires fires at the same number. */
const LATE_DAYS = 7;
const REMEDY = 'see the page Configuration, Certificates of the webhook';

const daysLeft = ({ validToDate }: X509Certificate, now: number): number =>
  Math.floor((validToDate.getTime() - now) / DAY_MS);

/** Returns the authorities in the `caBundle` of each webhook, by descending time of expiry. */
const bundlesIn = (facts: StatusFacts): readonly (readonly X509Certificate[])[] =>
  configurationsIn(facts)
    .flatMap(({ webhooks = [] }) => webhooks)
    // For a URL without `caBundle`, the API server trusts the authorities of the system.
    .filter(({ clientConfig: { url, caBundle = '' } }) => url === undefined || caBundle !== '')
    .map(({ clientConfig }) => certificatesIn(Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()))
    .map((bundle) => bundle.toSorted((one, other) => other.validToDate.getTime() - one.validToDate.getTime()));

function expiryLine(name: string, what: string, certificate: X509Certificate, now: number): StatusLine {
  const days = daysLeft(certificate, now);
  const isExpired = certificate.validToDate.getTime() <= now;
  const isLate = days < LATE_DAYS;
  return {
    ...{ name, level: isLate ? 'wrong' : 'ok' },
    text: isExpired ? `${what} has expired` : `${what} is valid for ${counted(days, 'day')}`,
    ...(isLate ? { remedy: REMEDY } : {}),
    data: { notAfter: certificate.validToDate.toISOString(), days },
  };
}

/** Returns the line `authority` of `portcullis status`: the validity of the authority that the API server trusts, if webhooks exist. */
export function authorityLine(facts: StatusFacts): StatusLine | undefined {
  const name = 'authority';
  const unread = unreadLine(name, facts.webhooks);
  if (unread !== undefined) return unread;
  const bundles = bundlesIn(facts);
  if (bundles.length === 0) return undefined;
  const empty = bundles.filter((bundle) => bundle.length === 0).length;
  if (empty > 0)
    return {
      ...{ name, level: 'wrong' },
      text: `${counted(empty, 'webhook trusts', 'webhooks trust')} no authority: caBundle is empty`,
      remedy: REMEDY,
    };
  const [shortest] = bundles
    .flatMap(([first]) => first ?? [])
    .toSorted((one, other) => one.validToDate.getTime() - other.validToDate.getTime());
  return shortest === undefined ? undefined : expiryLine(name, 'the trusted authority', shortest, facts.now);
}

/** Returns whether every `caBundle` has an authority that signed a certificate of the chain. */
const isTrusted = (chain: readonly X509Certificate[], bundles: readonly (readonly X509Certificate[])[]): boolean =>
  bundles.every((bundle) => bundle.some((authority) => chain.some((each) => isIssuedBy(each, authority))));

/** Returns the line `certificate` of `portcullis status`: the validity of the certificate that the webhook serves. */
export function certificateLine(facts: StatusFacts): StatusLine | undefined {
  const name = 'certificate';
  const unread = unreadLine(name, [facts.served], 'skipped');
  if (unread !== undefined) return unread;
  if (!workloadsOf(facts).some(({ component }) => component === 'webhook')) return undefined;
  const chain = certificatesIn(valueOf(facts.served) ?? '');
  const [served] = chain;
  const wrong = (text: string): StatusLine => ({ name, level: 'wrong', text, remedy: REMEDY });
  if (served === undefined) return wrong(`the Secret ${facts.namespace}/portcullis-webhook-tls has no certificate`);
  if (!isTrusted(chain, bundlesIn(facts)))
    return wrong('no authority that the API server trusts has signed the certificate');
  return expiryLine(name, 'the certificate', served, facts.now);
}
