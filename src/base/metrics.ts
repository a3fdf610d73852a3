import { Gauge, Registry } from 'prom-client';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js';
import processCpuTotal from 'prom-client/lib/metrics/processCpuTotal.js';
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import processStartTime from 'prom-client/lib/metrics/processStartTime.js';
import { VERSION } from '../version.ts';

export { VERSION };

/**
 * The figures of the process itself. One by one, because all of them together would bring one that watches every garbage collection:
 * the webhook has hundreds of those a second under load, and the watching costs as much as deciding.
 */
const OF_THE_PROCESS = [
  eventLoopLag,
  heapSizeAndUsed,
  osMemoryHeap,
  processCpuTotal,
  processMaxFileDescriptors,
  processOpenFileDescriptors,
  processStartTime,
];
const LAG_RESOLUTION_MS = 10;

/** A registry with the process's own figures and `portcullis_build_info`. Every metric of the process is registered on it. */
export function createRegistry(component: 'webhook' | 'controller'): Registry {
  const registry = new Registry();
  for (const figure of OF_THE_PROCESS) figure(registry, { eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
  new Gauge({
    name: 'portcullis_build_info',
    help: 'Always 1; the labels say what is running.',
    labelNames: ['version', 'component', 'node'],
    registers: [registry],
  }).set({ version: VERSION, component, node: process.versions.node }, 1);
  return registry;
}

/** The figures of the process, and of the controllers as they run now: those begin at zero when the controllers start anew. */
export class Figures {
  readonly contentType: Registry['contentType'];
  readonly #process: Registry;
  #round = new Registry();

  constructor(process: Registry) {
    this.#process = process;
    this.contentType = process.contentType;
  }

  /** An empty registry, in place of the one before. */
  ofRound(): Registry {
    this.#round = new Registry();
    return this.#round;
  }

  async metrics(): Promise<string> {
    return (await Promise.all([this.#process.metrics(), this.#round.metrics()])).join('\n');
  }
}

/** `portcullis_cloud_config_up_to_date`. */
export function configMetrics(registry: Registry, { isUpToDate }: { readonly isUpToDate: () => boolean }): void {
  new Gauge({
    name: 'portcullis_cloud_config_up_to_date',
    help: '1 while what runs is what the cloud-config file says; 0 when the file cannot be used, or wants a restart.',
    registers: [registry],
    collect() {
      this.set(isUpToDate() ? 1 : 0);
    },
  });
}
