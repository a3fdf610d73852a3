import { X509Certificate } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Terms } from '../../src/certificate/rotation.ts';
import { certificatesIn, isIssuedBy } from '../../src/certificate/certificate-secret.ts';
import * as issuer from '../../src/certificate/x509.ts';
import type { CertificateWriter } from '../../src/controller/webhook-certificate/store.ts';
import { createCertificateKeeper } from '../../src/controller/webhook-certificate/controller.ts';
import { PortcullisError } from '../../src/base/errors.ts';
import type { ObjectKey, Resource } from '../../src/base/kubernetes-objects.ts';
import { mergePatch, type Json } from './merge-patch.ts';
import { VirtualClock } from './virtual-clock.ts';

const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Lifetimes short enough for a test to see several renewals, in the proportions of the real ones. */
export const SHORT: Terms = {
  authorityMs: 6 * HOUR_MS,
  servingMs: HOUR_MS,
  backdatedMs: MINUTE_MS,
  overlapMs: 5 * MINUTE_MS,
  lingerMs: 10 * MINUTE_MS,
};

/** The maximum delay until an API server uses a changed configuration, in milliseconds. */
const API_SERVER_LAG_MS = 10 * SECOND_MS;
/** The maximum delay until a process uses a changed Secret, in milliseconds: kubelets sync once a minute. */
const KUBELET_LAG_MS = 60 * SECOND_MS;

export const AUTHORITY = 'secrets portcullis-system/portcullis-authority';
export const SERVING = 'secrets portcullis-system/portcullis-webhook-tls';
export const MUTATING = 'mutatingwebhookconfigurations portcullis';
export const VALIDATING = 'validatingwebhookconfigurations portcullis';

interface Stored {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

/** A value, and the monotonic time of the clock at which it became effective. */
interface Since<Value> {
  readonly at: number;
  readonly value: Value;
}

/** A function called before and after a write of the controller. It may throw, or kill the controller. */
export type WriteHook = (what: string, when: 'before' | 'after') => void | Promise<void>;

const decoded = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();
const plain = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

const configuration = (name: string): Stored => ({
  metadata: { name: 'portcullis' },
  webhooks: [
    { name: `${name}-service.portcullis.io`, clientConfig: {} },
    { name: `${name}-node.portcullis.io`, clientConfig: {} },
  ],
});

/** The Secrets and webhook configurations of a cluster whose API servers and kubelets observe changes late. Tests the renewal of certificates. */
export class CertificateCluster {
  readonly clock = new VirtualClock();
  readonly writes: string[] = [];
  readonly lines: string[] = [];
  /** Milliseconds by which the clock of the API server is ahead of the controller's. */
  skewMs = 0;
  /** True if the API server omits its time. */
  isTimeless = false;
  hook: WriteHook = () => undefined;
  /** Returns the reason for rejecting a read or a write. Undefined to allow the request. */
  refuse: (verb: string, what: string) => Error | undefined = () => undefined;
  readonly #objects = new Map<string, Stored>();
  readonly #served: Since<string>[] = [];
  readonly #trusted = new Map<string, Since<string>[]>();
  #version = 0;

  constructor() {
    this.put(MUTATING, configuration('mutate'));
    this.put(VALIDATING, configuration('validate'));
  }

  get(what: string): Stored | undefined {
    return this.#objects.get(what);
  }

  /** Stores an object as another writer. */
  put(what: string, object: Stored): void {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.#objects.set(what, stored);
    this.#remember(what, stored);
  }

  /** Stores a Secret as another writer. */
  putSecret(what: string, data: Readonly<Record<string, string>>): void {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const [, path = ''] = what.split(' ');
    const [namespace = '', name = ''] = path.split('/');
    this.put(what, { metadata: { name, namespace }, data: Object.fromEntries(encoded) as Record<string, string> });
  }

  delete(what: string): void {
    this.#objects.delete(what);
  }

  /** Returns the text of a Secret. */
  text = (what: string, key = 'tls.crt'): string => decoded(this.get(what)?.data?.[key]);
  certificate = (what: string): X509Certificate => new X509Certificate(this.text(what));
  /** Returns the fingerprints of the authorities that a configuration trusts. */
  trusted = (what: string): readonly string[] =>
    certificatesIn(decoded(this.get(what)?.webhooks?.[0]?.clientConfig.caBundle)).map(
      ({ fingerprint256 }) => fingerprint256,
    );

  /** Runs one leading controller process until the signal is aborted or a write kills it. */
  async controller(signal: AbortSignal, terms = SHORT): Promise<void> {
    const log = pino({ level: 'trace' }, { write: (line: string) => void this.lines.push(line) });
    const parts = { issuer, clock: this.clock, log, registry: new Registry(), random: () => 0.5, terms };
    await createCertificateKeeper({ ...parts, writer: this.#writer() })
      .run(signal)
      .catch(() => undefined);
  }

  /** Advances the clock. Generating a key takes real time, during which the clock stands still. */
  async live(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms;
    for (;;) {
      await this.clock.settle();
      while (this.clock.sleeping === 0) await nextTurn();
      const next = this.clock.nextWake() ?? Infinity;
      if (this.clock.monotonic() + next > end) break;
      await this.clock.advance(next);
    }
    await this.clock.advance(end - this.clock.monotonic());
  }

  /** Returns the moments from `from` on at which a process may have served a certificate that an API server did not trust. */
  refusals(from = 0): readonly string[] {
    const trusted = [...this.#trusted.values()].flat();
    const moments = [...new Set([...this.#served, ...trusted].map(({ at }) => at))].filter((at) => at >= from);
    return moments.flatMap((moment) =>
      [...this.#trusted].flatMap(([what, bundles]) => {
        const believed = inForce(bundles, moment, API_SERVER_LAG_MS);
        const serving = inForce(this.#served, moment, KUBELET_LAG_MS);
        return serving.some((leaf) => believed.some((bundle) => !trusts(bundle, leaf))) ? [`${moment} ${what}`] : [];
      }),
    );
  }

  #writer(): CertificateWriter {
    const written = async <Kind>(what: string, write: () => Stored): Promise<Kind> => {
      await this.hook(what, 'before');
      const stored = write();
      this.writes.push(what);
      await this.hook(what, 'after');
      return stored as Kind;
    };
    return {
      get: async <Kind>(resource: Resource, key: ObjectKey) => this.#find('get', `${resource.plural} ${key}`) as Kind,
      create: async <Kind>({ plural, kind }: Resource, object: object) => {
        if (kind === 'SelfSubjectReview') return this.#dated() as Kind;
        const copy = plain(object) as unknown as Stored;
        const what = `${plural} ${copy.metadata.namespace}/${copy.metadata.name}`;
        this.#permit('create', what);
        if (this.get(what) !== undefined) throw new PortcullisError('Conflict', `${what} already exists`);
        return written<Kind>(what, () => this.#stored(what, copy));
      },
      mergePatch: async <Kind>({ plural }: Resource, key: ObjectKey, patch: object) => {
        const what = `${plural} ${key}`;
        return written<Kind>(what, () => {
          const before = this.#find('patch', what);
          const { resourceVersion } = (patch as Stored).metadata;
          if (resourceVersion !== before.metadata.resourceVersion) throw new PortcullisError('Conflict', 'changed');
          return this.#stored(what, mergePatch(plain(before), plain(patch)) as unknown as Stored);
        });
      },
    };
  }

  #dated(): object {
    const time = new Date(this.clock.now() + this.skewMs).toISOString();
    return { metadata: this.isTimeless ? {} : { creationTimestamp: time } };
  }

  #stored(what: string, object: Stored): Stored {
    this.put(what, object);
    return object;
  }

  #permit(verb: string, what: string): void {
    const rejection = this.refuse(verb, what);
    if (rejection !== undefined) throw rejection;
  }

  #find(verb: string, what: string): Stored {
    this.#permit(verb, what);
    const found = this.get(what);
    if (found === undefined) throw new PortcullisError('NotFound', `${what} not found`);
    return found;
  }

  #remember(what: string, { data, webhooks = [] }: Stored): void {
    const at = this.clock.monotonic();
    if (what === SERVING) this.#served.push({ at, value: decoded(data?.['tls.crt']) });
    for (const { name, clientConfig } of webhooks) {
      const bundles = this.#trusted.get(name) ?? [];
      this.#trusted.set(name, [...bundles, { at, value: decoded(clientConfig.caBundle) }]);
    }
  }
}

/** Returns the values that an observer with a delay of up to `lagMs` may use at a moment. */
const inForce = (history: readonly Since<string>[], moment: number, lagMs: number): readonly string[] =>
  history
    .filter(({ at }, index) => at <= moment && (history[index + 1]?.at ?? Infinity) > moment - lagMs)
    .map(({ value }) => value);

const known = new Map<string, boolean>();

/** Returns whether a bundle trusts a certificate. An unreadable certificate is never trusted. */
function trusts(bundle: string, leaf: string): boolean {
  const key = `${bundle} ${leaf}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const [served] = certificatesIn(leaf);
  const answer = served !== undefined && certificatesIn(bundle).some((authority) => isIssuedBy(served, authority));
  known.set(key, answer);
  return answer;
}
