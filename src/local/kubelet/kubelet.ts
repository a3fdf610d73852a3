import { mkdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { ApiClient } from '../api-client.ts';
import { PARTS, workloadName, writeWhole, type SandboxPart } from '../sandbox-record.ts';
import { containerOf, type Container, type KubeletDeployment } from './container-of-deployment.ts';
import { launchFile, launchSpec, podFolder, tokenFile, type PodMachine } from './launch-spec.ts';
import { volumeFolder } from './mount-paths.ts';
import { takeSnapshot, type NamespaceSnapshot } from './namespace-snapshot.ts';
import { podRoutes, readinessPatch } from './pod-status.ts';
import { Restarts } from './restart.ts';
import type { Tokens } from './tokens.ts';
import { filesOf, writeVolume } from './volumes.ts';

/** The dependencies of the kubelet. The kubelet's process creates real dependencies, and tests pass replacements. */
export interface KubeletOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly namespace: string;
  /** The folder of the sandbox. */
  readonly folder: string;
  /** Returns the ports, the command and the variables of a part on this machine. */
  readonly machine: (part: SandboxPart) => Omit<PodMachine, 'podFolder'>;
  /** Receives each new failure message once. */
  readonly warn: (message: string) => void;
  /** Called after a restart of a part whose process had ended by itself. */
  readonly restarted: (part: SandboxPart) => void;
}

/** The lifetime of a pod's token in seconds, which is the default of Kubernetes. */
const TOKEN_S = 3607;
const PROBE_MS = 1000;

/** The kubelet of webhook and controller, which run as processes on this machine, because kwok only pretends to run pods. */
export class Kubelet {
  readonly #options: KubeletOptions;
  /** The HTTP client of probes. Like a real kubelet, the client does not verify certificates. */
  readonly #probeAgent = new Agent({ connect: { rejectUnauthorized: false } });
  readonly #reported = new Set<string>();
  readonly #restarts: Restarts;
  /** The number of restarts that the statuses of pods do not show yet. */
  readonly #unpublishedRestarts = new Map<SandboxPart, number>();
  #routes: ReadonlyMap<string, number> = new Map();

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#restarts = new Restarts(options.folder, options.clock);
  }

  /** Returns the port on 127.0.0.1 for an `ip:port` of a pod. The egress proxy calls this method for each connection of kube-apiserver. */
  async route(target: string, signal: AbortSignal): Promise<number | undefined> {
    // The pod of an unknown address may have been created after the last pass.
    if (!this.#routes.has(target)) await this.reconcile(signal);
    return this.#routes.get(target);
  }

  /**
   * Reconciles the volumes, tokens, restarts, readiness and routes of webhook and controller. Runs every second, or more often during a start. Never
   * rejects.
   */
  async reconcile(signal: AbortSignal): Promise<void> {
    const routes = new Map<string, number>();
    await this.#reportingFailure(signal, async () => {
      const snapshot = await takeSnapshot(this.#options.client, this.#options.namespace, signal);
      for (const part of PARTS) {
        const deployment = snapshot.deployment(workloadName(part));
        if (deployment === undefined) this.#options.tokens.forget(workloadName(part));
        else await this.#reportingFailure(signal, () => this.#updatePart(part, deployment, snapshot, routes, signal));
      }
    });
    this.#routes = routes;
  }

  /** Runs `work`. Reports its error instead of throwing, so that the remaining work of the pass continues. */
  async #reportingFailure(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#reportOnce(messageOf(error), signal);
    }
  }

  async #updatePart(
    part: SandboxPart,
    deployment: KubeletDeployment,
    snapshot: NamespaceSnapshot,
    routes: Map<string, number>,
    signal: AbortSignal,
  ): Promise<void> {
    const container = containerOf(deployment);
    const { ports } = this.#options.machine(part);
    const pods = snapshot.pods(deployment);
    for (const [target, port] of podRoutes(pods, container.ports, ports)) routes.set(target, port);
    await this.#reportingFailure(signal, () => this.#writePodFiles(part, container, snapshot));
    await this.#reportingFailure(signal, () => this.#restart(part, signal));
    const ready = await this.#probe(container, ports);
    const now = new Date(this.#options.clock.now()).toISOString().replace(/\.\d+/, '');
    for (const pod of pods) {
      const patch = readinessPatch(pod, { ready, restarts: this.#unpublishedRestarts.get(part) ?? 0 }, now);
      const path = `/api/v1/namespaces/${this.#options.namespace}/pods/${pod.metadata?.name ?? ''}/status`;
      if (patch !== undefined) await this.#options.client.patch(path, patch, signal);
    }
    this.#unpublishedRestarts.delete(part);
  }

  async #restart(part: SandboxPart, signal: AbortSignal): Promise<void> {
    if (signal.aborted || !(await this.#restarts.restartIfDue(part))) return;
    this.#unpublishedRestarts.set(part, (this.#unpublishedRestarts.get(part) ?? 0) + 1);
    this.#options.restarted(part);
  }

  /** Writes the token, the volumes and the launch file of a part. */
  async #writePodFiles(part: SandboxPart, container: Container, snapshot: NamespaceSnapshot): Promise<void> {
    const { folder, tokens, machine } = this.#options;
    const home = podFolder(folder, part);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeIfChanged(tokenFile(folder, part), await tokens.current(container.serviceAccount, TOKEN_S));
    const projected = await this.#projectedTokens(container);
    const token = (audience = '', seconds: number): string => projected.get(`${audience} ${seconds}`) ?? '';
    const missing: string[] = [];
    for (const volume of container.volumes) {
      const files = filesOf(volume, { ...snapshot.files, token });
      if (files === undefined) missing.push(volume.name);
      else await writeVolume(volumeFolder(home, volume.name), files);
    }
    // The part cannot start before the launch file exists.
    if (missing.length > 0) return;
    const spec = launchSpec(part, container, snapshot.values, { podFolder: home, ...machine(part) });
    writeIfChanged(launchFile(folder, part), JSON.stringify({ ...spec, graceMs: container.graceMs }));
  }

  async #projectedTokens(container: Container): Promise<ReadonlyMap<string, string>> {
    const tokenRequests = container.volumes
      .flatMap(({ projected }) => projected?.sources ?? [])
      .flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []);
    const pairs = tokenRequests.map(async ({ audience, expirationSeconds = 3600 }) => {
      const token = await this.#options.tokens.current(container.serviceAccount, expirationSeconds, audience);
      return [`${audience ?? ''} ${expirationSeconds}`, token] as const;
    });
    return new Map(await Promise.all(pairs));
  }

  async #probe({ readiness, ports: names }: Container, ports: Readonly<Record<string, number>>): Promise<boolean> {
    if (readiness === undefined) return true;
    const [name = ''] = [...names].find(([, number]) => number === readiness.port) ?? [];
    try {
      const { statusCode, body } = await request(
        `${readiness.scheme}://127.0.0.1:${ports[name] ?? 0}${readiness.path}`,
        {
          dispatcher: this.#probeAgent,
          signal: AbortSignal.timeout(PROBE_MS),
        },
      );
      await body.dump();
      return statusCode < 400;
    } catch {
      return false;
    }
  }

  #reportOnce(message: string, signal: AbortSignal): void {
    if (signal.aborted || this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.warn(message);
  }
}

function writeIfChanged(path: string, text: string): void {
  try {
    if (readFileSync(path, 'utf8') === text) return;
  } catch {
    // The file does not exist yet.
  }
  writeWhole(path, text);
}
