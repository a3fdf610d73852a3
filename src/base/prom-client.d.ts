/** The library's single figures, which it documents by name and does not type. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client';

  export default function register(
    registry: Registry,
    options: { readonly eventLoopMonitoringPrecision: number },
  ): void;
}
