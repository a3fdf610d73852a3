import { hash } from '../clb/desired/digest.ts';
import type { KubernetesObject, Resource } from '../base/kubernetes-objects.ts';

/** The effect that the violation would have if the object were created now. */
export type ReportedConsequence = 'deny' | 'warn' | 'audit';

/** A violation of one rule in one stored object. */
export interface ReportedFinding {
  /** A built-in rule, or `policy/<policy>/<constraint>`. */
  readonly rule: string;
  readonly tier: 'safety' | 'hygiene';
  /** The effect, or `unevaluated` if the rule could not be evaluated. */
  readonly consequence: ReportedConsequence | 'unevaluated';
  /** The field path. Empty if the rule could not be evaluated. */
  readonly field: string;
  /** The message, without details about Services of other users. */
  readonly message: string;
}

/** The findings in the objects of a namespace. */
export interface NamespaceFindings {
  readonly namespace: string;
  /** The number of evaluated objects. */
  readonly evaluated: number;
  /** The Services with findings, sorted by name. */
  readonly services: readonly {
    readonly name: string;
    readonly uid: string;
    readonly found: readonly ReportedFinding[];
  }[];
}

type Result = 'fail' | 'warn' | 'error';

interface ReportResult {
  readonly source: string;
  readonly policy: string;
  readonly rule: string;
  readonly category: string;
  readonly severity: 'high' | 'medium' | 'low' | 'info';
  readonly result: Result;
  readonly scored: boolean;
  readonly message: string;
  readonly resources: readonly object[];
  readonly properties: Readonly<Record<string, string>>;
}

/** The fields that both kinds of reports have. */
export interface ReportContent {
  readonly scope: object;
  readonly summary: Readonly<Record<'pass' | Result | 'skip', number>>;
  readonly results: readonly ReportResult[];
  /** Only set in reports of `openreports.io`. */
  readonly source?: string;
}

/** A stored report, with a digest of its content instead of the content. */
export interface KnownReport extends KubernetesObject {
  readonly digest: string;
}

/** The kinds of reports. The controller uses the first kind that the cluster serves. */
export const REPORT_KINDS: readonly Resource<KnownReport>[] = [
  { group: 'openreports.io', version: 'v1alpha1', plural: 'reports', kind: 'Report', namespaced: true },
  { group: 'wgpolicyk8s.io', version: 'v1alpha2', plural: 'policyreports', kind: 'PolicyReport', namespaced: true },
];

/** The name of every report, and the label that identifies the reports of the controller. */
export const REPORT_NAME = 'portcullis';
export const REPORT_LABELS = { 'app.kubernetes.io/managed-by': 'portcullis' } as const;

/** The maximum number of results in a report. The summary counts the omitted results too. */
export const MOST_RESULTS = 200;

const BUILT_IN = 'portcullis';
const RESULTS = { deny: 'fail', warn: 'warn', audit: 'warn', unevaluated: 'error' } as const;
const SEVERITIES = { deny: 'medium', warn: 'low', audit: 'info', unevaluated: 'low' } as const;
/** The order of the results in a report, which contains only the first `MOST_RESULTS`. */
const ORDER: readonly Result[] = ['fail', 'error', 'warn'];

/** Returns the policy and the name of a rule. Built-in rules belong to the policy `portcullis`. */
function namesOf(rule: string): Pick<ReportResult, 'policy' | 'rule'> {
  const [family, policy, name] = rule.split('/');
  return family === 'policy' && policy !== undefined && name !== undefined
    ? { policy, rule: name }
    : { policy: BUILT_IN, rule };
}

const resultOf = (resource: object, { rule, tier, consequence, field, message }: ReportedFinding): ReportResult => ({
  source: BUILT_IN,
  ...namesOf(rule),
  category: 'load balancers',
  severity: tier === 'safety' ? 'high' : SEVERITIES[consequence],
  result: RESULTS[consequence],
  scored: consequence === 'deny',
  message,
  resources: [resource],
  properties: field === '' ? { consequence } : { consequence, field },
});

const count = (results: readonly ReportResult[], wanted: Result): number =>
  results.filter(({ result }) => result === wanted).length;

/** Returns the report of a namespace. Returns undefined if there are no findings. */
export function reportOf(
  { namespace, evaluated, services }: NamespaceFindings,
  { group }: Pick<Resource, 'group'>,
): ReportContent | undefined {
  if (services.length === 0) return undefined;
  const all = services.flatMap(({ name, uid, found }) => {
    const resource = { apiVersion: 'v1', kind: 'Service', namespace, name, uid };
    return found.map((one) => resultOf(resource, one));
  });
  return {
    ...(group === 'openreports.io' ? { source: BUILT_IN } : {}),
    scope: { apiVersion: 'v1', kind: 'Namespace', name: namespace },
    summary: {
      pass: evaluated - services.length,
      fail: count(all, 'fail'),
      warn: count(all, 'warn'),
      error: count(all, 'error'),
      skip: 0,
    },
    results: ORDER.flatMap((wanted) => all.filter(({ result }) => result === wanted)).slice(0, MOST_RESULTS),
  };
}

/** Returns a digest of a report, which does not depend on the order of the fields. */
export const digestOfReport = ({ scope, summary, results, source }: ReportContent): string =>
  hash([scope, summary, results, source]);
