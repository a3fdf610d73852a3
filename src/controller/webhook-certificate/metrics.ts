import { Counter, Gauge, type Registry } from 'prom-client';
import type { RotationDecision } from '../../certificate/rotation.ts';

export type CertificateMetrics = ReturnType<typeof certificateMetrics>;

/** Registers the metrics of the certificates that the controller issues for the webhook. Every reconcile updates these metrics. */
export function certificateMetrics(registry: Registry) {
  const registers = [registry];
  const ends = new Gauge({
    name: 'portcullis_managed_certificate_expiration_timestamp_seconds',
    help: 'Expiration time of the certificates that the controller issued for the webhook: authority or serving.',
    labelNames: ['certificate'],
    registers,
  });
  const failures = new Counter({
    name: 'portcullis_managed_certificate_failures_total',
    help: 'Failures to manage the certificates of the webhook, by reason.',
    labelNames: ['reason'],
    registers,
  });
  return {
    seen: ({ authority, serving }: RotationDecision): void => {
      ends.reset();
      if (authority !== undefined) ends.set({ certificate: 'authority' }, authority.validToDate.getTime() / 1_000);
      if (serving !== undefined) ends.set({ certificate: 'serving' }, serving.validToDate.getTime() / 1_000);
    },
    failed: (reason: string): void => failures.inc({ reason }),
  };
}
