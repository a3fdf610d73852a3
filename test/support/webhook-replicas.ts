import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { CertificateAuthority, Credential } from '../../src/local/pki.ts';
import type { AdmissionCluster } from './admission-cluster.ts';
import { mountedSecret, type MountedSecret } from './serving-certificate.ts';
import { startWebhook, type SpawnOptions, type WebhookProcess } from './webhook-process.ts';

/** Probe period in milliseconds, a tenth of the shipped one. A replica that fails twice in a row is removed from the endpoints. */
const PROBE_MS = 200;
const FAILURE_THRESHOLD = 2;
/** Seconds for which the process serves after the first SIGTERM. A second SIGTERM ends it. */
const DRAIN_SECONDS = 600;
/** Milliseconds without a connection, after which an API server has observed the removal of an endpoint. */
const HEARD_MS = 5_000;

/** A pod of the webhook. */
export interface Replica {
  readonly address: string;
  readonly process: WebhookProcess;
  readonly secret: MountedSecret;
}

interface Pod extends Replica {
  isReady: boolean;
  isTerminating: boolean;
  isKilled: boolean;
  failedProbes: number;
  dials: number;
}

const UNTOUCHED = { isReady: false, isTerminating: false, isKilled: false, failedProbes: 0, dials: 0 };

/** Replicas of the webhook as processes, with endpoints that follow their probes. Tests restart them while writes continue. */
export interface WebhookReplicas extends AsyncDisposable {
  readonly running: readonly Replica[];
  /** The authority of their serving certificates. */
  authority: CertificateAuthority;
  /** Starts a replica. Resolves when its endpoint is published. */
  add(options?: SpawnOptions): Promise<Replica>;
  /** Stops a replica like the deletion of its pod: SIGTERM, removal of its endpoint, end. Resolves with the exit code. */
  retire(replica: Replica): Promise<number | null>;
  /** Sends SIGKILL. Resolves when probes fail and the endpoint is removed. */
  kill(replica: Replica): Promise<void>;
  /** Returns the number of connection attempts to a replica. Each attempt can cost at most one request. */
  dialsTo(replica: Replica): number;
  /** Writes a certificate into the mounts in sequence. Resolves when new connections get it. */
  renew(pair: Credential): Promise<void>;
}

/** Starts `count` replicas in sequence. */
export async function startReplicas(
  cluster: AdmissionCluster,
  count: number,
  flags: readonly string[] = [],
): Promise<WebhookReplicas> {
  await using resources = new AsyncDisposableStack();
  const replicas = resources.use(new Replicas(cluster, flags));
  for (let n = 0; n < count; n += 1) await replicas.add();
  resources.move();
  return replicas;
}

class Replicas implements WebhookReplicas {
  authority: CertificateAuthority;
  readonly #cluster: AdmissionCluster;
  readonly #flags: readonly string[];
  readonly #pods = new Map<string, Pod>();
  readonly #ending = new AbortController();
  readonly #probing: Promise<void>;
  #pair: Credential;
  #lastNumber = 10;
  #published = '';

  constructor(cluster: AdmissionCluster, flags: readonly string[]) {
    this.#cluster = cluster;
    this.#flags = flags;
    this.#pair = cluster.certificate;
    this.authority = cluster.certificate.authority;
    cluster.reach((address) => {
      const pod = this.#pods.get(address);
      if (pod !== undefined) pod.dials += 1;
      return pod?.process.port;
    });
    this.#probing = this.#probe();
  }

  get running(): readonly Replica[] {
    return [...this.#pods.values()].filter(({ isTerminating, isKilled }) => !isTerminating && !isKilled);
  }

  async add(options: SpawnOptions = {}): Promise<Replica> {
    const secret = mountedSecret(this.#pair);
    const files = [`--tls-cert-file=${secret.certFile}`, `--tls-private-key-file=${secret.keyFile}`];
    const drain = `--drain-seconds=${DRAIN_SECONDS}`;
    const process = await startWebhook([...this.#cluster.flags, ...files, drain, ...this.#flags], options);
    this.#lastNumber += 1;
    const address = `192.0.2.${this.#lastNumber}`;
    const pod = { address, process, secret, ...UNTOUCHED };
    this.#pods.set(address, pod);
    await process.ready();
    while (!this.#published.includes(`${address} true`)) await delay(PROBE_MS / 4);
    return pod;
  }

  async retire(replica: Replica): Promise<number | null> {
    const pod = this.#podOf(replica);
    pod.isTerminating = true;
    replica.process.signal('SIGTERM');
    await this.#unheardOf(replica);
    // Ends the drain, which is long enough for an endpoint that disappears late.
    replica.process.signal('SIGTERM');
    const code = await replica.process.ended;
    await this.#remove(pod);
    return code;
  }

  async kill(replica: Replica): Promise<void> {
    const pod = this.#podOf(replica);
    pod.isKilled = true;
    replica.process.signal('SIGKILL');
    await replica.process.ended;
    await this.#unheardOf(replica);
  }

  dialsTo(replica: Replica): number {
    return this.#podOf(replica).dials;
  }

  async renew(pair: Credential): Promise<void> {
    this.#pair = pair;
    const { fingerprint256 } = new X509Certificate(pair.certificate);
    for (const { secret, process } of this.running) {
      secret.swap(pair);
      while ((await servedBy(process.port)) !== fingerprint256) await delay(PROBE_MS / 4);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#probing;
    await Promise.all([...this.#pods.values()].map((pod) => this.#remove(pod)));
  }

  /** Resolves when the API server no longer uses the replica. */
  async #unheardOf(replica: Replica): Promise<void> {
    while (!this.#published.includes(`${replica.address} false`)) await delay(PROBE_MS / 4);
    let dials: number;
    do {
      dials = this.dialsTo(replica);
      await delay(HEARD_MS);
    } while (dials !== this.dialsTo(replica));
  }

  async #remove(pod: Pod): Promise<void> {
    this.#pods.delete(pod.address);
    await pod.process[Symbol.asyncDispose]();
    pod.secret[Symbol.dispose]();
  }

  #podOf({ address }: Replica): Pod {
    const pod = this.#pods.get(address);
    if (pod === undefined) throw new Error(`no replica at ${address}`);
    return pod;
  }

  /** Probes and publishes until the end. Failures during an API server restart are retried in the next period. */
  async #probe(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await Promise.all([...this.#pods.values()].map(probeOnce));
      const endpoints = [...this.#pods.values()].map(({ address, isReady, isTerminating }) => ({
        address,
        ready: isReady && !isTerminating,
      }));
      const text = endpoints.map(({ address, ready }) => `${address} ${ready}`).join();
      if (text !== this.#published) {
        await this.#cluster.publish(endpoints).then(
          () => (this.#published = text),
          () => undefined,
        );
      }
      await delay(PROBE_MS);
    }
  }
}

async function probeOnce(pod: Pod): Promise<void> {
  const status = await pod.process.probe('/readyz').then(
    (answer) => answer.status,
    () => 0,
  );
  pod.failedProbes = status === 200 ? 0 : pod.failedProbes + 1;
  if (status === 200) pod.isReady = true;
  else if (pod.failedProbes >= FAILURE_THRESHOLD) pod.isReady = false;
}

/** Returns the fingerprint of the certificate of a new connection. */
async function servedBy(port: number): Promise<string | undefined> {
  // Only the identity of the certificate matters, not its issuer.
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerX509Certificate()?.fingerprint256;
  } finally {
    socket.destroy();
  }
}
