import { sortOut, SILENCE, type Outcome } from '../../webhook/rules/engine/outcome.ts';
import { fieldOf, sentence, type Finding } from '../../webhook/rules/engine/judge.ts';
import { nodeSubject, rulesAbout, serviceSubject, wantsLoadBalancer } from '../../webhook/rules/engine/subject.ts';
import { plain } from '../../webhook/rules/engine/text.ts';
import { NODE_RULES, SERVICE_RULES } from '../../webhook/rules/index.ts';
import type { Rule } from '../../webhook/rules/rule.ts';
import type { Node, Service } from '../objects.ts';
import { ENFORCE_ALL } from '../policy/policy.ts';
import { appliedOver, type Applicable } from './applied.ts';
import { candidateOf, isOurs, type Candidate } from './candidate.ts';
import { CHECKS } from './checks.ts';
import { noFacts, type FileFacts } from './file-facts.ts';
import { readManifests, type Unreadable } from './manifest.ts';
import type { Place } from './place.ts';
import type { Source } from './source.ts';

/** Something to tell, with where it stands. */
export interface Told {
  readonly file: string;
  readonly place: Place;
  /** An error would be refused; a warning would not. */
  readonly level: 'error' | 'warning';
  /** `Service shop/web`; empty where no object can be named. */
  readonly object: string;
  readonly rule: string;
  /** The field's path; empty where there is none. */
  readonly field: string;
  /** The value as it is written; empty when nothing is set. */
  readonly found: string;
  /** Found, allowed, do this; in the webhook's words. */
  readonly message: string;
}

export interface Report {
  /** By file, in the order of the files; within one by place. */
  readonly findings: readonly Told[];
  readonly files: number;
  readonly services: number;
  readonly nodes: number;
  /** The objects that would be refused. */
  readonly refused: readonly string[];
  /** How many Services reuse a load balancer while nothing is known of the cloud, or nothing complete. */
  readonly unchecked: number;
  /** Whether there were facts. */
  readonly hasFacts: boolean;
}

export interface LintOptions {
  /** Absent: nothing is known of the cloud, and rules that need to know are not asked. */
  readonly facts?: FileFacts;
  /** What is stored; see `storedIn`. */
  readonly stored?: ReadonlyMap<string, Service | Node>;
  /** Of objects that name none. */
  readonly namespace: string;
}

const isService = (object: Service | Node): object is Service => object.kind === 'Service';

/** What stands for the cluster. */
interface Cluster {
  readonly facts: FileFacts;
  readonly rules: readonly Rule[];
  readonly stored: LintOptions['stored'];
}

/** Judges all manifests by the webhook's rules, in order: what would be stored counts for those that follow. */
export function lint(sources: readonly Source[], { facts, stored, namespace }: LintOptions): Report {
  const rules =
    facts === undefined ? SERVICE_RULES.filter(({ needsInventory }) => needsInventory !== true) : SERVICE_RULES;
  const cluster = { facts: facts ?? noFacts(), rules, stored };
  const isKnown = cluster.facts.freshness().kind !== 'absent';
  const count = { services: 0, nodes: 0, unchecked: 0 };
  const refused: string[] = [];
  const findings = sources.flatMap(({ name: file, text }) => {
    const { manifests, unreadable } = readManifests(text, isOurs);
    const ofObjects = manifests.flatMap((manifest) => {
      const candidate = candidateOf(manifest, namespace);
      const { outcome, object } = judged(candidate, cluster);
      const told = toldOf(candidate, outcome, file);
      const isRefused = told.some(({ level }) => level === 'error');
      if (isRefused) refused.push(candidate.name);
      else if (object !== undefined && isService(object)) cluster.facts.add(object);
      count[manifest.kind === 'Node' ? 'nodes' : 'services'] += 1;
      if (!isKnown && namesLoadBalancer(candidate)) count.unchecked += 1;
      return told;
    });
    return [...unreadable.map((piece) => unreadableTold(piece, file)), ...ofObjects].sort(byPlace);
  });
  return { findings, files: sources.length, refused, ...count, hasFacts: facts !== undefined };
}

const byPlace = ({ place: left }: Told, { place: right }: Told): number =>
  left.line - right.line || left.column - right.column;

const namesLoadBalancer = ({ object }: Candidate): boolean =>
  object !== undefined &&
  isService(object) &&
  wantsLoadBalancer(object) &&
  serviceSubject(object).parsed.options.id !== undefined;

/** What the rules say of a candidate, and what would be stored of it. */
interface Judged {
  readonly outcome: Outcome;
  readonly object: Service | Node | undefined;
}

function judged({ name, object }: Candidate, { facts, rules, stored }: Cluster): Judged {
  const before = stored?.get(name);
  const surroundings = { facts, policy: ENFORCE_ALL };
  if (object === undefined) return { outcome: SILENCE, object };
  if (!isService(object)) {
    const was = before as Node | undefined;
    const node = was === undefined ? object : appliedOver<Node & Applicable>(was, object);
    const old = was === undefined ? undefined : nodeSubject(was);
    const about = { rules: NODE_RULES, subject: nodeSubject(node, was), stored: old, mayRefuse: true, namespace: '' };
    return { outcome: sortOut(about, surroundings), object: node };
  }
  const was = before as Service | undefined;
  const service = was === undefined ? object : appliedOver<Service & Applicable>(was, object);
  const concerned = rulesAbout(service, was, rules);
  if (concerned.length === 0) return { outcome: SILENCE, object: service };
  const old = was !== undefined && wantsLoadBalancer(was) ? serviceSubject(was) : undefined;
  const { namespace } = service.metadata;
  const about = { rules: concerned, subject: serviceSubject(service, was), stored: old, mayRefuse: true, namespace };
  return { outcome: sortOut(about, surroundings), object: service };
}

function toldOf(candidate: Candidate, { refusals, warnings, unevaluated }: Outcome, file: string): readonly Told[] {
  const common = { file, object: candidate.name };
  const tell = (finding: Finding, level: Told['level']): Told => ({
    ...common,
    place: candidate.locate(finding.fault.field),
    level,
    rule: finding.rule.name,
    field: fieldOf(finding),
    found: finding.fault.found,
    message: sentence(finding),
  });
  return [
    ...candidate.findings.map((finding) => tell(finding, finding.fault.advice === true ? 'warning' : 'error')),
    ...refusals.map((finding) => tell(finding, 'error')),
    ...warnings.map((finding) => tell(finding, 'warning')),
    ...unevaluated.map(({ rule }) => ({
      ...common,
      place: candidate.locate(''),
      level: rule.tier === 'safety' ? ('error' as const) : ('warning' as const),
      rule: rule.name,
      field: '',
      found: '',
      message: `rule ${rule.name} could not be evaluated and was passed over`,
    })),
  ];
}

const unreadableTold = ({ place, what }: Unreadable, file: string): Told => ({
  file,
  place,
  level: 'error',
  object: '',
  rule: CHECKS.syntax.name,
  field: '',
  found: '',
  message: `${plain(what)} (portcullis explain ${CHECKS.syntax.name})`,
});
