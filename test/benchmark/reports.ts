import type { Namespace, Service } from '../../src/base/kubernetes-objects.ts';
import type { LoadBalancerPolicy } from '../../src/policy/custom-resources.ts';
import { aPolicy } from '../support/policy.ts';
import { namespace, reporterCase, type ReporterCaseInput } from '../support/policy-reporter-case.ts';
import { aService } from '../support/service.ts';
import { watchedDouble } from '../support/watched-cache.ts';
import { policySpecs } from './policy-set.ts';
import { FAULTY, RICH } from './rich-service.ts';

const SERVICES = 10_000;
const NAMESPACES = 100;
const POLICIES = 100;
/** Every fifth Service has every violation. */
const FAULTY_SHARE = 5;
/** Milliseconds of virtual time until all reports are written, or until all are checked again. */
const WRITTEN_MS = 120_000;
const AGAIN_MS = 900_000;
const MIB = 2 ** 20;

/** The cost of the policy reports of 10,000 Services with 100 policies. */
export interface ReportCosts {
  /** The seconds of processor time until all reports are written. */
  readonly seconds: number;
  /** The peak memory of the process, including the objects and the API server double; in MiB. */
  readonly residentMiB: number;
  /** The number of writes to the API server. */
  readonly first: number;
  /** The number of writes during the next check of all Services. */
  readonly again: number;
  /** The number of writes of a new reporter, as after a restart. */
  readonly afterRestart: number;
}

function service(at: number): Service {
  const { metadata } = at % FAULTY_SHARE === 0 ? FAULTY : RICH;
  const name = `service-${at}`;
  const of = `team-${at % NAMESPACES}`;
  const annotations = { ...metadata.annotations };
  return aService({ name, namespace: of, uid: `uid-${at}`, ports: [80, 443], annotations });
}

function cluster(): ReporterCaseInput {
  const policies = watchedDouble<LoadBalancerPolicy>(
    Object.entries(policySpecs(POLICIES)).map(([name, spec]) => aPolicy(name, spec)),
  );
  const namespaces = watchedDouble<Namespace>(
    Array.from({ length: NAMESPACES }, (_, at) => namespace(`team-${at}`, { team: 'shop' })),
  );
  return { policies, namespaces, services: watchedDouble(Array.from({ length: SERVICES }, (_, at) => service(at))) };
}

type Case = ReturnType<typeof reporterCase>;
const writesOf = ({ writes, double }: Case): number => writes.length + double.writes.length;

/** Measures the reports of a large cluster: two passes of a reporter, and a pass of a new reporter. The benchmark `reports` of run.ts calls it. */
export async function reportCosts(): Promise<ReportCosts> {
  const input = cluster();
  const since = process.cpuUsage();
  const one = reporterCase(input);
  await one.clock.advance(WRITTEN_MS);
  const { user, system } = process.cpuUsage(since);
  const first = writesOf(one);
  if (one.double.report('team-0')?.summary.fail === 0) throw new Error('nothing was found');
  await one.clock.advance(AGAIN_MS);
  const again = writesOf(one) - first;
  await one.stop();
  const before = one.double.writes.length;
  const two = reporterCase(one);
  await two.clock.advance(WRITTEN_MS);
  await two.stop();
  return {
    ...{ first, again, afterRestart: writesOf(two) - before },
    seconds: (user + system) / 1e6,
    residentMiB: (process.resourceUsage().maxRSS * 1_024) / MIB,
  };
}
