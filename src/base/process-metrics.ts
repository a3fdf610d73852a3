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

/** The process metrics, without those of garbage collections, whose observation would cost a busy webhook as much time as its reviews. */
const PROCESS_METRICS = [
  eventLoopLag,
  heapSizeAndUsed,
  osMemoryHeap,
  processCpuTotal,
  processMaxFileDescriptors,
  processOpenFileDescriptors,
  processStartTime,
];
const LAG_RESOLUTION_MS = 10;

/** Creates the metrics registry of a process, with process metrics and `portcullis_build_info`. */
export function createRegistry(component: 'webhook' | 'controller'): Registry {
  const registry = new Registry();
  for (const register of PROCESS_METRICS) register(registry, { eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
  new Gauge({
    name: 'portcullis_build_info',
    help: 'Always 1; the labels name the version of the process.',
    labelNames: ['version', 'component', 'node'],
    registers: [registry],
  }).set({ version: VERSION, component, node: process.versions.node }, 1);
  return registry;
}

/** The metrics of the process and of the running controllers. After a restart of the controllers, their metrics start again at zero. */
export class ProcessMetrics {
  readonly contentType: Registry['contentType'];
  readonly #process: Registry;
  #controllers = new Registry();

  constructor(process: Registry) {
    this.#process = process;
    this.contentType = process.contentType;
  }

  /**
   * Returns the registry in which the controllers register their metrics. Runs when the controllers start or restart, and drops their old metrics.
   */
  forControllers(): Registry {
    this.#controllers = new Registry();
    return this.#controllers;
  }

  async metrics(): Promise<string> {
    return (await Promise.all([this.#process.metrics(), this.#controllers.metrics()])).join('\n');
  }
}

/** Registers the metric that shows whether the controllers use the current cloud-config file. */
export function configMetrics(registry: Registry, { isUpToDate }: { readonly isUpToDate: () => boolean }): void {
  new Gauge({
    name: 'portcullis_cloud_config_up_to_date',
    help: '1 if the cloud-config file is in effect; 0 if the file is invalid, or if a change requires a restart.',
    registers: [registry],
    collect() {
      this.set(isUpToDate() ? 1 : 0);
    },
  });
}
