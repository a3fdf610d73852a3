import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { CertificateAuthority, Credential } from '../../src/local/pki.ts';
import type { AdmissionCluster } from './admission-cluster.ts';
import { mountedSecret, type MountedSecret } from './serving-certificate.ts';
import { startWebhook, type SpawnOptions, type WebhookProcess } from './webhook-process.ts';

/** As the shipped probe, ten times as fast: a replica that fails twice in a row is no endpoint any more. */
const PROBE_MS = 200;
const FAILURE_THRESHOLD = 2;
/** In which the process serves on after SIGTERM, unless it is told a second time. */
const DRAIN_SECONDS = 600;
/** Without a connection to it for this long, an API server has heard that an endpoint has gone, however busy the machine is. */
const HEARD_MS = 5_000;

/** One pod of the webhook. */
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

/** Replicas of the webhook, of which the API server learns what a kubelet's probes would tell. */
export interface WebhookReplicas extends AsyncDisposable {
  readonly running: readonly Replica[];
  /** Whose certificates they serve with. */
  authority: CertificateAuthority;
  /** Starts one more; resolves once the API server has been told of it. */
  add(options?: SpawnOptions): Promise<Replica>;
  /**
   * As the deletion of its pod: it is told to stop, its endpoint goes at the next turn of the probes, and it ends some time after that.
   * The time is not counted from the first signal, so that a machine under load does not end it early. Resolves with its exit code.
   */
  retire(replica: Replica): Promise<number | null>;
  /** SIGKILL. Resolves once probes have found out, and the API server knows. */
  kill(replica: Replica): Promise<void>;
  /** How many connections have ever been attempted to its address; each can cost one request at most. */
  dialsTo(replica: Replica): number;
  /** Writes a certificate into what they have mounted, one after the other; resolves once new connections get it. */
  renew(pair: Credential): Promise<void>;
}

/** Starts as many as told, one after the other. */
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

  /** Resolves once the API server knows that it is no endpoint any more. */
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

  /** Probes and publishes until the end. What fails while an API server restarts is done in the next turn. */
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

/** The fingerprint of the certificate that a new connection is given. */
async function servedBy(port: number): Promise<string | undefined> {
  // Whoever it is signed by: what is asked is which one it is.
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerX509Certificate()?.fingerprint256;
  } finally {
    socket.destroy();
  }
}
