/** The single metrics of the library, which its documentation names and its types omit. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client';

  export default function register(
    registry: Registry,
    options: { readonly eventLoopMonitoringPrecision: number },
  ): void;
}
