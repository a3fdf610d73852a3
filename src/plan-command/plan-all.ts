import { isManagedService } from '../controller/service/management.ts';
import { messageOf, PortcullisError } from '../base/errors.ts';
import { keyOf } from '../base/kubernetes-objects.ts';
import { sideBySide } from '../base/concurrent-tasks.ts';
import type { Source } from '../lint/source.ts';
import { usedNodePorts } from './load-balancer-plan.ts';
import { preparePlanning, type PlanRequest } from './plan-dependencies.ts';
import type { ServicePlanReport } from './plan-summary.ts';
import { deniedPlan, planService, type PlanDeps } from './service-plan.ts';
import { servicesIn, type PlannedService } from './services-in-files.ts';

const AT_A_TIME = 4;

const failureOf = (error: unknown): PortcullisError =>
  error instanceof PortcullisError ? error : new PortcullisError('Bug', messageOf(error), { cause: error });

/** Returns the plans for the Services of files or of the cluster. A failed plan does not affect other Services. */
export async function planAll(
  request: PlanRequest,
  sources?: readonly Source[],
): Promise<readonly ServicePlanReport[]> {
  const { caches, deps, namespace, admit } = await preparePlanning(request);
  const services =
    sources === undefined
      ? [...caches.services.values()]
          .filter(isManagedService)
          .filter(({ metadata }) => request.namespace === undefined || metadata.namespace === request.namespace)
          .map((service) => ({ key: keyOf(service), service, denied: [], assumedPorts: [] }))
      : servicesIn(sources, namespace, caches.services, admit);
  return await sideBySide(services, AT_A_TIME, (each) => plannedFor(each, deps, request.signal));
}

async function plannedFor(
  { key, service, denied, assumedPorts }: PlannedService,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<ServicePlanReport> {
  if (service === undefined || denied.length > 0) return { service: key, assumedPorts: [], ...deniedPlan(denied) };
  try {
    const plan = await planService(service, deps, signal);
    return { service: key, assumedPorts: usedNodePorts(plan.parts, assumedPorts), ...plan };
  } catch (error) {
    signal.throwIfAborted();
    return { service: key, failure: failureOf(error) };
  }
}
