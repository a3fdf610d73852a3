import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { decide, type Situation, type RotationStep, type Terms } from '../../../src/certificate/rotation.ts';
import type { SecretData } from '../../../src/certificate/certificate-secret.ts';
import { createSigner, type CertificateRequest, type Credential, type Signer } from '../../../src/certificate/x509.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
const NAME = 'portcullis-webhook.portcullis-system.svc';
const TERMS: Terms = {
  authorityMs: 900 * HOUR,
  servingMs: 90 * HOUR,
  backdatedMs: HOUR / 60,
  overlapMs: HOUR / 6,
  lingerMs: 2 * HOUR,
};
const REQUEST: CertificateRequest = { commonName: 'w', usage: 'server', dnsNames: [NAME] };

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = ({ certificate, key }: Credential, trusted: readonly Credential[] = []): SecretData => ({
  'tls.crt': base64(certificate),
  'tls.key': base64(key),
  ...(trusted.length === 0 ? {} : { 'ca.crt': bundle(...trusted) }),
});
const bundle = (...authorities: readonly Credential[]): string =>
  base64(authorities.map(({ certificate }) => `${certificate.trimEnd()}\n`).join(''));

/** Returns the validity of a certificate by its age and its remaining time, in hours. */
const aged = (hours: number, left: number) => ({ notBefore: NOW - hours * HOUR, notAfter: NOW + left * HOUR });

/** An authority that is replaced too early makes API servers distrust the webhook, and an authority that is replaced too late expires. */
describe('the next step for the webhook certificates', () => {
  let own: Signer;
  let previous: Signer;
  let leaf: Credential;
  /** A cluster in which no step is needed. */
  let settled: Situation;
  const names = new Map<string, string>();

  const configured = (...bundles: readonly string[]): Situation['configurations'] =>
    ['Mutating', 'Validating'].map((kind) => ({ kind, bundles }));
  /** Returns a step as text, with the authorities by their names in this test. */
  const stepText = (step: RotationStep): string => {
    const why = 'why' in step ? ` (${step.why})` : '';
    const trusted = 'trusted' in step ? `: ${step.trusted.map((one) => names.get(one.fingerprint256)).join(', ')}` : '';
    return `${step.kind}${step.kind === 'trust' ? ` ${step.configuration}` : ''}${trusted}${why}`;
  };

  before(async () => {
    own = await createSigner('portcullis-authority', aged(100, 800));
    previous = await createSigner('portcullis-authority', aged(600, 300));
    for (const [name, { certificate }] of Object.entries({ own, previous })) {
      names.set(new X509Certificate(certificate).fingerprint256, name);
    }
    leaf = await own.issue(REQUEST, aged(30, 60));
    settled = {
      now: NOW,
      authority: secret(own, [own]),
      serving: secret(leaf),
      configurations: configured(bundle(own), bundle(own)),
      isComplete: true,
      trustedForMs: () => HOUR,
      dnsName: NAME,
    };
  });

  /** The differences from a cluster in which no step is needed, and the resulting steps. */
  const rows: Record<string, readonly [differs: () => Promise<Partial<Situation>>, steps: readonly string[]]> = {
    'is none in the desired state': [async () => ({}), []],
    'is a new authority if nothing exists': [
      async () => ({ authority: undefined, serving: undefined, configurations: configured('') }),
      ['authority:  (missing)'],
    ],
    'is a second authority if the Secret of the trusted authority is missing': [
      async () => ({ authority: undefined }),
      ['authority: own (missing)'],
    ],
    'is a new authority if the Secret has half of a pair': [
      async () => ({ authority: { 'tls.crt': base64(own.certificate) } }),
      ['authority: own (no private key in tls.key of its Secret)'],
    ],
    'is a new authority if the key belongs to another certificate': [
      async () => ({ authority: secret({ certificate: own.certificate, key: previous.key }, [own]) }),
      ['authority: own (certificate and private key do not match)'],
    ],
    'is a new authority if the Secret has a certificate that is not an authority': [
      async () => ({ authority: secret(leaf) }),
      ['authority: own (not a certificate of an authority)'],
    ],
    'is a new authority if its certificate is not valid yet': [
      async () => {
        const early = await createSigner('early', aged(-1, 100));
        names.set(new X509Certificate(early.certificate).fingerprint256, 'early');
        return { authority: secret(early) };
      },
      ['authority: own (not valid yet)'],
    ],
    'is a second authority after two thirds of the life of the first': [
      async () => ({
        authority: secret(previous, [previous]),
        serving: secret(await previous.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(previous)),
      }),
      ['authority: previous (two thirds of its validity are over)'],
    ],
    'is trust for both authorities if one is new, without a new certificate': [
      async () => ({
        authority: secret(own, [own, previous]),
        serving: secret(await previous.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(previous)),
        trustedForMs: () => 0,
      }),
      ['trust Mutating: own, previous', 'trust Validating: own, previous'],
    ],
    'is none until the authority is trusted for long enough': [
      async () => ({
        authority: secret(own, [own, previous]),
        serving: secret(await previous.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(own, previous)),
        trustedForMs: () => TERMS.overlapMs - 1,
      }),
      [],
    ],
    'is a certificate of the authority when it is trusted for long enough': [
      async () => ({
        authority: secret(own, [own, previous]),
        serving: secret(await previous.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(own, previous)),
        trustedForMs: () => TERMS.overlapMs,
      }),
      ['serving (signed by another authority)'],
    ],
    'is none while processes may still serve a certificate of the previous authority': [
      async () => ({
        authority: secret(own, [own, previous]),
        serving: secret(await own.issue(REQUEST, aged(1, 89))),
        configurations: configured(bundle(own, previous)),
      }),
      [],
    ],
    'is the removal of the previous authority when no process can serve its certificate': [
      async () => ({
        authority: secret(own, [own, previous]),
        serving: secret(await own.issue(REQUEST, aged(3, 87))),
        configurations: configured(bundle(own, previous)),
      }),
      ['record: own', 'trust Mutating: own', 'trust Validating: own'],
    ],
    'waits at most a hundredth of the remaining life of the previous authority': [
      async () => {
        const dying = await createSigner('portcullis-authority', aged(1, 0.5));
        names.set(new X509Certificate(dying.certificate).fingerprint256, 'dying');
        return {
          authority: secret(own, [own, dying]),
          serving: secret(await dying.issue(REQUEST, aged(0.1, 0.5))),
          configurations: configured(bundle(own, dying)),
          trustedForMs: () => HOUR / 200,
        };
      },
      ['serving (signed by another authority)'],
    ],
    'is trust for the authority if a configuration lacks it': [
      async () => ({ configurations: [...configured(bundle(own)), { kind: 'Other', bundles: [bundle(own), ''] }] }),
      ['trust Other: own'],
    ],
    'is trust for the authority alone if a user added another': [
      async () => ({ configurations: configured(bundle(own, previous)) }),
      ['trust Mutating: own', 'trust Validating: own'],
    ],
    'is a record of all trusted authorities, and trust for them, if the Secret lacks the record': [
      async () => ({
        authority: secret(own),
        serving: secret(await previous.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(previous)),
      }),
      ['record: own, previous', 'trust Mutating: own, previous', 'trust Validating: own, previous'],
    ],
    'is a new certificate at once if none can be served, even before the authority is trusted': [
      async () => ({ serving: undefined, isComplete: false, trustedForMs: () => 0 }),
      ['serving (missing)'],
    ],
    'is a new certificate if the current has expired': [
      async () => ({ serving: secret(await own.issue(REQUEST, aged(91, -1))) }),
      ['serving (expired)'],
    ],
    'is a new certificate if the current is for another name': [
      async () => ({ serving: secret(await own.issue({ ...REQUEST, dnsNames: ['other.svc'] }, aged(1, 89))) }),
      [`serving (not valid for ${NAME})`],
    ],
    'is a new certificate if the current is for clients': [
      async () => ({ serving: secret(await own.issue({ ...REQUEST, usage: 'client' }, aged(1, 89))) }),
      ['serving (not valid for servers)'],
    ],
    'is a new certificate if the current is not trusted': [
      async () => ({ serving: secret(await previous.issue(REQUEST, aged(1, 89))) }),
      ['serving (not signed by a trusted authority)'],
    ],
    'is a new certificate after two thirds of the life of the current': [
      async () => ({ serving: secret(await own.issue(REQUEST, aged(60, 30))) }),
      ['serving (two thirds of its validity are over)'],
    ],
    'is none for a valid certificate while the trusted authorities are unknown': [
      async () => ({ serving: secret(await own.issue(REQUEST, aged(60, 30))), isComplete: false }),
      [],
    ],
    'is none for missing configurations': [async () => ({ configurations: [] }), []],
  };
  for (const [title, [differs, steps]] of Object.entries(rows)) {
    it(title, async () => {
      const decision = decide({ ...settled, ...(await differs()) }, TERMS);
      assert.deepEqual(decision.steps.map(stepText), steps);
    });
  }

  it('has the shorter of both waits while two authorities are trusted, else no wait', async () => {
    assert.equal(decide(settled, TERMS).shorterWaitMs, undefined);
    const serving = secret(await own.issue(REQUEST, aged(1, 89)));
    const both = {
      ...settled,
      authority: secret(own, [own, previous]),
      serving,
      configurations: configured(bundle(own, previous)),
    };
    assert.equal(decide(both, TERMS).shorterWaitMs, TERMS.overlapMs);
  });
});
