import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../src/clock.ts';
import type { PolicyCaches } from '../src/kubernetes/policy-caches.ts';
import type { Logger } from '../src/log.ts';
import { objectKey, type KubernetesObject, type Service } from '../src/objects.ts';
import { PolicyBook } from '../src/policy/book.ts';
import { UsageByNamespace } from '../src/policy/usage.ts';
import type { Change, Watched } from '../src/store.ts';
import { TUNABLE } from './rules/index.ts';

export interface PolicySources extends Pick<PolicyCaches, 'policies' | 'exceptions' | 'namespaces'> {
  readonly services: Watched<Service>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  readonly warnOnly: boolean;
}

/** The policies of a cluster, kept as the caches have them. What is wrong with one is said once, and the rest of it is in force. */
export function followPolicies(sources: PolicySources): PolicyBook {
  const { policies, exceptions, namespaces, services, clock, log, registry, warnOnly } = sources;
  const usage = new UsageByNamespace(services, (namespace, change) => book.usageChanged(namespace, change));
  const book: PolicyBook = new PolicyBook({
    tunable: TUNABLE,
    labelsOf: (namespace) => {
      const found = namespaces.get(objectKey(namespace));
      return found === undefined ? undefined : (found.metadata.labels ?? {});
    },
    usage,
    clock,
    warnOnly,
  });
  policies.onChange(({ before, after }) => {
    if (after === undefined) book.removePolicy(nameOf(before));
    else tell(log, 'policy', after.metadata.name, book.putPolicy(after));
  });
  exceptions.onChange(({ before, after }) => {
    if (after === undefined) book.removeException(nameOf(before));
    else tell(log, 'exception', after.metadata.name, book.putException(after));
  });
  namespaces.onChange((change) => {
    if (change.before?.metadata.labels !== change.after?.metadata.labels) book.namespaceChanged(nameOfChange(change));
  });
  measure(registry, book, clock);
  return book;
}

const nameOf = (object: KubernetesObject | undefined): string => object?.metadata.name ?? '';
const nameOfChange = ({ before, after }: Change<KubernetesObject>): string => nameOf(after ?? before);

function tell(log: Logger, kind: string, name: string, problems: readonly { path: string; message: string }[]): void {
  if (problems.length > 0) log.warn({ [kind]: name, problems }, `a part of the ${kind} is not in force`);
}

/** How many there are, without any name. */
function measure(registry: Registry, book: PolicyBook, clock: Clock): void {
  const policies = new Gauge<'state'>({
    name: 'portcullis_webhook_policies',
    help: 'LoadBalancerPolicies, by whether all of what they say can be read.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      const faulty = book.policies.filter(({ problems }) => problems.length > 0).length;
      policies.set({ state: 'whole' }, book.policies.length - faulty);
      policies.set({ state: 'faulty' }, faulty);
    },
  });
  const exceptions = new Gauge<'state'>({
    name: 'portcullis_webhook_policy_exceptions',
    help: 'LoadBalancerExceptions, by whether they have expired.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      const all = [...book.exceptions];
      const active = all.filter(({ expires }) => clock.now() < expires.ms).length;
      exceptions.set({ state: 'active' }, active);
      exceptions.set({ state: 'expired' }, all.length - active);
    },
  });
}
