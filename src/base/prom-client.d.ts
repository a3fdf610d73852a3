/** The type of the modules with single metrics, which the types of the library omit. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client';

  export default function register(
    registry: Registry,
    options: { readonly eventLoopMonitoringPrecision: number },
  ): void;
}
