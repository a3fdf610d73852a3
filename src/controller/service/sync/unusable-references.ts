import { whyMissing } from '../../../clb/model/missing-access-control-list.ts';
import type { Action } from '../../../clb/model/action.ts';
import { whyUnusable, type Certificate } from '../../../clb/model/certificate.ts';
import {
  idsIn,
  RESOURCE_KINDS,
  type ResourceKind,
  type Unusable,
} from '../../../clb/guards/invalid-listener-references.ts';
import type { ClbApi } from '../../../clb/model/clb-api.ts';
import type { Clock } from '../../../base/clock.ts';
import { isDenied, type PortcullisError } from '../../../base/errors.ts';
import type { CallContext } from '../../../plan/call-context.ts';
import type { Plan } from '../../../plan/plan.ts';
import { failureOf } from './tolerated-failure.ts';

/** The results of lookups by id: the certificate, or undefined without such a certificate; whether the access control list exists. */
export interface KnownResources {
  readonly Certificate: Map<string, Certificate | undefined>;
  readonly AccessControlList: Map<string, boolean>;
}

export const noResourcesKnown = (): KnownResources => ({ Certificate: new Map(), AccessControlList: new Map() });

export interface ResourceLookup {
  readonly clb: Pick<ClbApi, 'readCertificate' | 'hasAccessControlList'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Returns true if the controller lacks the permission for the lookup, because the cloud rejects the listener if the list does not exist. */
const assumedToExistIfDenied = (error: unknown): boolean => {
  if (isDenied(error)) return true;
  throw error;
};

async function readResource(
  kind: ResourceKind,
  id: string,
  known: KnownResources,
  clb: ResourceLookup['clb'],
  context: CallContext,
): Promise<void> {
  if (kind === 'Certificate') known[kind].set(id, await clb.readCertificate(id, context));
  else known[kind].set(id, await clb.hasAccessControlList(id, context).catch(assumedToExistIfDenied));
}

function whyNot(kind: ResourceKind, id: string, known: KnownResources, nowMs: number): string | undefined {
  if (!known[kind].has(id))
    return `${kind === 'Certificate' ? 'certificate' : 'access control list'} ${id} could not be looked up`;
  return kind === 'Certificate'
    ? whyUnusable(id, known[kind].get(id), nowMs)
    : whyMissing(id, known[kind].get(id) === true);
}

/** Returns why certificates and access control lists of a plan are unusable. After a failed lookup, unknown resources are unusable. */
export async function findUnusable(
  plan: Plan<Action>,
  known: KnownResources,
  { clb, clock }: ResourceLookup,
  context: CallContext,
): Promise<{ readonly unusable: Unusable; readonly failure: PortcullisError | undefined }> {
  const unusable = { Certificate: new Map<string, string>(), AccessControlList: new Map<string, string>() };
  let failure: PortcullisError | undefined;
  for (const kind of RESOURCE_KINDS) {
    for (const id of idsIn(kind, plan)) {
      if (!known[kind].has(id) && failure === undefined)
        failure = await failureOf(() => readResource(kind, id, known, clb, context));
      const why = whyNot(kind, id, known, clock.now());
      if (why !== undefined) unusable[kind].set(id, why);
    }
  }
  return { unusable, failure };
}
