import type { WebhookConfiguration } from '../../base/kubernetes-objects.ts';
import { isUnread, valueOf } from '../read-result.ts';
import type { StatusFacts } from '../facts.ts';
import { unreadLine, type StatusLine } from '../line.ts';
import type { TrialResult } from '../trial-service.ts';
import { workloadsOf } from '../workloads.ts';

/** The admission policy that checks annotations in an installation without a webhook. */
const BY_POLICIES = 'portcullis-annotation-values';

/** Returns the webhook configurations that exist. */
export const configurationsIn = ({ webhooks }: StatusFacts): readonly WebhookConfiguration[] =>
  webhooks.flatMap((read) => valueOf(read) ?? []);

/** Returns the line `webhook` of `portcullis status`: its ready replicas. Returns undefined if no webhook runs in the cluster. */
export function webhookLine(facts: StatusFacts): StatusLine | undefined {
  const name = 'webhook';
  const unread = unreadLine(name, [facts.deployments]);
  if (unread !== undefined) return unread;
  const workload = workloadsOf(facts).find(({ component }) => component === 'webhook');
  if (workload === undefined) return undefined;
  const { ready, desired } = workload;
  const isFull = ready >= desired;
  return {
    ...{ name, text: `${ready} of ${desired} replicas are ready` },
    level: ready === 0 && desired > 0 ? 'wrong' : isFull ? 'ok' : 'notice',
    ...(isFull ? {} : { remedy: `kubectl -n ${facts.namespace} describe pods -l app.kubernetes.io/component=webhook` }),
    data: { ready, desired },
  };
}

const ADMISSION = 'admission';

/** Returns the line `admission` of `portcullis status` for a cluster without webhook configurations, in which only admission policies can deny. */
function withoutWebhook({ admissionPolicies }: StatusFacts): StatusLine {
  const unread = unreadLine(ADMISSION, [admissionPolicies]);
  if (unread !== undefined) return unread;
  const names = (valueOf(admissionPolicies) ?? []).map(({ metadata }) => metadata.name);
  const ours = names.filter((each) => each.startsWith('portcullis-'));
  if (ours.includes(BY_POLICIES))
    return { name: ADMISSION, level: 'ok', text: `no webhook is installed; ${ours.length} admission policies deny` };
  const text =
    ours.length === 0
      ? 'neither a webhook nor an admission policy is installed'
      : `no webhook is configured; only ${ours.length} safety policies deny`;
  return { name: ADMISSION, level: 'wrong', text, remedy: 'install the webhook or the admission policies again' };
}

function reviewLine(result: TrialResult, facts: StatusFacts): Pick<StatusLine, 'level' | 'text' | 'remedy'> {
  const { namespace } = facts;
  switch (result.kind) {
    case 'answered':
      return { level: 'ok', text: 'the API server reaches the webhook: a trial Service got its answer' };
    case 'undecided':
      return { level: 'skipped', text: `another admission plug-in denied the trial Service: ${result.why}` };
    case 'unanswered':
      return {
        ...{ level: 'wrong', text: result.why },
        remedy: `kubectl -n ${namespace} get pods,endpointslices -l app.kubernetes.io/component=webhook; open TCP 9443 from the control plane to the pods`,
      };
  }
}

/** Returns the line `admission` of `portcullis status`: whether the API server reaches the webhook, or admission policies deny instead. */
export function admissionLine(facts: StatusFacts): StatusLine {
  const { review, webhooks } = facts;
  if (webhooks.every(({ kind }) => kind === 'absent')) return withoutWebhook(facts);
  const isTried = !isUnread(review) && review.kind !== 'absent';
  if (!isTried || webhooks.every(isUnread))
    return unreadLine(ADMISSION, isUnread(review) ? [review] : webhooks, 'skipped') ?? noNamespace();
  return { name: ADMISSION, ...reviewLine(review.value, facts), data: { review: review.value.kind } };
}

const noNamespace = (): StatusLine => ({
  name: ADMISSION,
  level: 'skipped',
  text: 'the namespace of the context does not exist, so no trial Service can be sent',
  remedy: 'choose another context',
});
