import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { decide, type Situation, type RotationStep, type Terms } from '../../../src/certificate/decide.ts';
import type { SecretData } from '../../../src/certificate/stored.ts';
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

describe('the next step for the certificates of the webhook', () => {
  let own: Signer;
  let former: Signer;
  let leaf: Credential;
  /** Situation of a cluster in which no step is needed. */
  let settled: Situation;
  const names = new Map<string, string>();

  const configured = (...bundles: readonly string[]): Situation['configurations'] =>
    ['Mutating', 'Validating'].map((kind) => ({ kind, bundles }));
  /** Returns a step as text, with the authorities by their names in this test. */
  const said = (step: RotationStep): string => {
    const why = 'why' in step ? ` (${step.why})` : '';
    const trusted = 'trusted' in step ? `: ${step.trusted.map((one) => names.get(one.fingerprint256)).join(', ')}` : '';
    return `${step.kind}${step.kind === 'trust' ? ` ${step.configuration}` : ''}${trusted}${why}`;
  };

  before(async () => {
    own = await createSigner('portcullis-authority', aged(100, 800));
    former = await createSigner('portcullis-authority', aged(600, 300));
    for (const [name, { certificate }] of Object.entries({ own, former })) {
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

  /** Differences from a cluster without needed steps, and the resulting steps. */
  const rows: Record<string, readonly [differs: () => Promise<Partial<Situation>>, steps: readonly string[]]> = {
    'is none where all is as it should be': [async () => ({}), []],
    'is an authority where there is nothing at all': [
      async () => ({ authority: undefined, serving: undefined, configurations: configured('') }),
      ['authority:  (there is none)'],
    ],
    'is an authority beside the one that is trusted, where its Secret is gone': [
      async () => ({ authority: undefined }),
      ['authority: own (there is none)'],
    ],
    'is an authority where the Secret has half of a pair': [
      async () => ({ authority: { 'tls.crt': base64(own.certificate) } }),
      ['authority: own (its Secret has no private key under tls.key)'],
    ],
    'is an authority where the key is of another one': [
      async () => ({ authority: secret({ certificate: own.certificate, key: former.key }, [own]) }),
      ['authority: own (certificate and private key do not belong together)'],
    ],
    'is an authority where the Secret holds what is none': [
      async () => ({ authority: secret(leaf) }),
      ['authority: own (its certificate is not that of an authority)'],
    ],
    'is an authority where its certificate is not valid yet': [
      async () => {
        const early = await createSigner('early', aged(-1, 100));
        names.set(new X509Certificate(early.certificate).fingerprint256, 'early');
        return { authority: secret(early) };
      },
      ['authority: own (it is not valid yet)'],
    ],
    'is another authority beside the former when two thirds of its life are over': [
      async () => ({
        authority: secret(former, [former]),
        serving: secret(await former.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(former)),
      }),
      ['authority: former (two thirds of its life are over)'],
    ],
    'is to have all trust both, and to serve under the former, when the authority is new': [
      async () => ({
        authority: secret(own, [own, former]),
        serving: secret(await former.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(former)),
        trustedForMs: () => 0,
      }),
      ['trust Mutating: own, former', 'trust Validating: own, former'],
    ],
    'is none while the authority has not been trusted for long enough': [
      async () => ({
        authority: secret(own, [own, former]),
        serving: secret(await former.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(own, former)),
        trustedForMs: () => TERMS.overlapMs - 1,
      }),
      [],
    ],
    'is to serve under the authority once it has been trusted for long enough': [
      async () => ({
        authority: secret(own, [own, former]),
        serving: secret(await former.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(own, former)),
        trustedForMs: () => TERMS.overlapMs,
      }),
      ['serving (another authority has signed it)'],
    ],
    'is none while processes may still serve under the former': [
      async () => ({
        authority: secret(own, [own, former]),
        serving: secret(await own.issue(REQUEST, aged(1, 89))),
        configurations: configured(bundle(own, former)),
      }),
      [],
    ],
    'is to trust the former no longer once nobody can serve under it': [
      async () => ({
        authority: secret(own, [own, former]),
        serving: secret(await own.issue(REQUEST, aged(3, 87))),
        configurations: configured(bundle(own, former)),
      }),
      ['record: own', 'trust Mutating: own', 'trust Validating: own'],
    ],
    'waits for no more than a hundredth of what is left of the former': [
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
      ['serving (another authority has signed it)'],
    ],
    'is to trust the authority where a configuration does not': [
      async () => ({ configurations: [...configured(bundle(own)), { kind: 'Other', bundles: [bundle(own), ''] }] }),
      ['trust Other: own'],
    ],
    'is to trust the authority alone where somebody has put another one beside it': [
      async () => ({ configurations: configured(bundle(own, former)) }),
      ['trust Mutating: own', 'trust Validating: own'],
    ],
    'is to keep whom the configurations trust while what is served is theirs': [
      async () => ({
        authority: secret(own),
        serving: secret(await former.issue(REQUEST, aged(30, 60))),
        configurations: configured(bundle(former)),
      }),
      ['record: own, former', 'trust Mutating: own, former', 'trust Validating: own, former'],
    ],
    'is to serve at once, whoever is trusted, where nothing can be served': [
      async () => ({ serving: undefined, isComplete: false, trustedForMs: () => 0 }),
      ['serving (there is none)'],
    ],
    'is to serve anew what has expired': [
      async () => ({ serving: secret(await own.issue(REQUEST, aged(91, -1))) }),
      ['serving (it has expired)'],
    ],
    'is to serve anew what is for another name': [
      async () => ({ serving: secret(await own.issue({ ...REQUEST, dnsNames: ['other.svc'] }, aged(1, 89))) }),
      [`serving (it is not for ${NAME})`],
    ],
    'is to serve anew what is for clients': [
      async () => ({ serving: secret(await own.issue({ ...REQUEST, usage: 'client' }, aged(1, 89))) }),
      ['serving (it is not for servers)'],
    ],
    'is to serve anew what nobody trusts': [
      async () => ({ serving: secret(await former.issue(REQUEST, aged(1, 89))) }),
      ['serving (no authority that is trusted has signed it)'],
    ],
    'is to serve anew when two thirds of its life are over': [
      async () => ({ serving: secret(await own.issue(REQUEST, aged(60, 30))) }),
      ['serving (two thirds of its life are over)'],
    ],
    'is not to renew what can be served while it is unknown who would trust the next': [
      async () => ({ serving: secret(await own.issue(REQUEST, aged(60, 30))), isComplete: false }),
      [],
    ],
    'is none for configurations that are not there': [async () => ({ configurations: [] }), []],
  };
  for (const [sentence, [differs, steps]] of Object.entries(rows)) {
    it(sentence, async () => {
      const decision = decide({ ...settled, ...(await differs()) }, TERMS);
      assert.deepEqual(decision.steps.map(said), steps);
    });
  }

  it('tells how long a part of an overlap lasts, and nothing where one authority is trusted alone', async () => {
    assert.equal(decide(settled, TERMS).overlapMs, undefined);
    const serving = secret(await own.issue(REQUEST, aged(1, 89)));
    const both = {
      ...settled,
      authority: secret(own, [own, former]),
      serving,
      configurations: configured(bundle(own, former)),
    };
    assert.equal(decide(both, TERMS).overlapMs, TERMS.overlapMs);
  });
});
