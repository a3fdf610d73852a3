import type { Reason } from '../base/errors.ts';

/** The remedies by error reason, for `portcullis status`. */
const OF_ERRORS: Readonly<Record<Reason, string>> = {
  Invalid: 'correct every violation that the condition names',
  InvalidConfiguration: 'correct the setting that the message names',
  QuotaExceeded: 'reduce the request, delete other Services, or raise the quota',
  Unauthorized: 'check the credentials of the controller',
  Forbidden: 'grant the permission that the message names',
  Rejected: 'read the message, and correct the Service',
  InvalidBackend: 'delete the Node or the pod that the message names, or exclude it',
  Throttled: 'wait: the controller continues when the next window of the rate limit begins',
  Busy: 'wait: the controller retries within seconds',
  NotFound: 'check the resource that the message names',
  Conflict: 'wait; if conflicts last, find the second controller',
  OutcomeUnknown: 'wait: the controller reads the state before it writes again',
  Unavailable: 'check the network and the endpoints of the cloud',
  LostLeadership: 'wait: another replica leads',
  Bug: 'report the log line of the controller',
};

/** The remedies by condition reason, for reasons that are not reasons of errors. */
const OF_CONDITIONS: Readonly<Record<string, string>> = {
  PolicyViolation: 'change the Service, or ask for an exception',
  InvalidPort: 'correct the port',
  Immutable: 'restore the previous value, or delete and create the Service again',
  UnsupportedChange: 'restore the previous value, or create the Service again',
  InvalidCertificateRef: 'correct the id of the certificate',
  InvalidAccessControlListRef: 'correct the id of the access control list',
  PortUnavailable: 'choose another port, or free this port',
  RedirectTargetMissing: 'add the HTTPS port, or first change the port that forwards to the removed listener',
  ServerGroupInUse: 'let the listener use the group that the message names, or delete the listener',
  GroupOwner: 'name another server group',
  NotOwned: 'name another load balancer in the annotation id, or remove this annotation',
  UserManaged: 'remove the annotations that the message lists, or use another load balancer',
  ReservedName: 'choose another name',
  LoadBalancerChangeNotSupported: 'set the annotation id back to its previous value, or move the Service',
  OwnerTagMissing: 'set the tag kubernetes.do.not.delete again',
  LoadBalancerNotFound: 'replace the load balancer: see the page Move a Service',
  DisablePublicSLB: 'set address-type: intranet, or name a load balancer with a private address',
  Pending: 'check that a controller leads, and read the events of the Service',
};

const REMEDIES = new Map(Object.entries({ ...OF_ERRORS, ...OF_CONDITIONS }));

/** Returns the remedy for the reason of a Service's condition, or a general remedy for any other reason. */
export const remedyOf = (reason: string): string => REMEDIES.get(reason) ?? 'read the message of the condition';

/** The reasons that have a remedy of their own. A test compares them with the documented reasons. */
export const REMEDIED: ReadonlySet<string> = new Set(REMEDIES.keys());
