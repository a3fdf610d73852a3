import { hash } from '../clb/desired/digest.ts';
import type { KubernetesObject, Resource } from '../base/objects.ts';

/** What follows from something that is found in a stored object, if it were asked for now. */
export type Consequence = 'deny' | 'warn' | 'audit';

/** What is found in one stored object by one rule. */
export interface ReportedFinding {
  /** A built-in rule, or `policy/<policy>/<constraint>`. */
  readonly rule: string;
  readonly tier: 'safety' | 'hygiene';
  /** `unevaluated`: the rule could not be asked. */
  readonly consequence: Consequence | 'unevaluated';
  /** Empty for what could not be evaluated. */
  readonly field: string;
  /** One sentence, without what only its owner is to know of others. */
  readonly message: string;
}

/** What is found in the objects of a namespace. */
export interface NamespaceFindings {
  readonly namespace: string;
  /** How many objects were looked at. */
  readonly looked: number;
  /** By name; those in which nothing is found are not here. */
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

/** What a report says: the fields that both kinds have. */
export interface ReportContent {
  readonly scope: object;
  readonly summary: Readonly<Record<'pass' | Result | 'skip', number>>;
  readonly results: readonly ReportResult[];
  /** Of reports of `openreports.io` alone. */
  readonly source?: string;
}

/** A report as it is remembered: that it is there, and a digest of what it says. */
export interface KnownReport extends KubernetesObject {
  readonly digest: string;
}

/** The kinds in which findings can be told; the first that a cluster serves is used. */
export const REPORT_KINDS: readonly Resource<KnownReport>[] = [
  { group: 'openreports.io', version: 'v1alpha1', plural: 'reports', kind: 'Report', namespaced: true },
  { group: 'wgpolicyk8s.io', version: 'v1alpha2', plural: 'policyreports', kind: 'PolicyReport', namespaced: true },
];

/** Of every report; and the label by which reports are known to be ours. */
export const REPORT_NAME = 'portcullis';
export const REPORT_LABELS = { 'app.kubernetes.io/managed-by': 'portcullis' } as const;

/** More results than this are counted, not told. */
export const MOST_RESULTS = 200;

const BUILT_IN = 'portcullis';
const RESULTS = { deny: 'fail', warn: 'warn', audit: 'warn', unevaluated: 'error' } as const;
const SEVERITIES = { deny: 'medium', warn: 'low', audit: 'info', unevaluated: 'low' } as const;
/** What is told first where not all can be told. */
const ORDER: readonly Result[] = ['fail', 'error', 'warn'];

/** The policy and what it calls its rule; built-in rules have a policy of their own. */
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

/** The report of a namespace; absent where nothing is found. Equal findings give equal reports. */
export function reportOf(
  { namespace, looked, services }: NamespaceFindings,
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
      pass: looked - services.length,
      fail: count(all, 'fail'),
      warn: count(all, 'warn'),
      error: count(all, 'error'),
      skip: 0,
    },
    results: ORDER.flatMap((wanted) => all.filter(({ result }) => result === wanted)).slice(0, MOST_RESULTS),
  };
}

/** Of all that a report says. Equal for equal reports, in whatever order their fields come. */
export const digestOfReport = ({ scope, summary, results, source }: ReportContent): string =>
  hash([scope, summary, results, source]);
