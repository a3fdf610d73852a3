/** The modules of `prom-client` that each register the metrics of one part of the process. The library has no types for the modules. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client';

  export default function register(
    registry: Registry,
    options: { readonly eventLoopMonitoringPrecision: number },
  ): void;
}
