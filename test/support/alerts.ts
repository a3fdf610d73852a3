import { manifestsOf } from './manifests.ts';

/** An alert of the shipped PrometheusRule. */
export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

export interface AlertGroup {
  readonly name: string;
  readonly rules: readonly AlertingRule[];
}

/** Returns the groups of the shipped PrometheusRule, which are also the content of a rule file of Prometheus. */
export function alertGroups(): readonly AlertGroup[] {
  const rule = manifestsOf('manifests/monitoring/*.yaml').find(({ kind }) => kind === 'PrometheusRule');
  return (rule?.['spec'] as { readonly groups: readonly AlertGroup[] } | undefined)?.groups ?? [];
}
