import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { VERSION } from './version.ts';

export { VERSION };

/** A registry with the process's own figures and `portcullis_build_info`. Every metric of the process is registered on it. */
export function createRegistry(component: 'webhook' | 'controller'): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'portcullis_build_info',
    help: 'Always 1; the labels say what is running.',
    labelNames: ['version', 'component', 'node'],
    registers: [registry],
  }).set({ version: VERSION, component, node: process.versions.node }, 1);
  return registry;
}
