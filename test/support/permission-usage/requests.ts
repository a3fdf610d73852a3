import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isGathering, note } from './recorded-uses.ts';

/** A request with the attributes that RBAC checks. */
export interface Request {
  /** The user name at the API server. */
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** Resource with its subresource: `services/status`. */
  readonly resource: string;
  /** Set only for kinds that are granted by namespace and name. */
  readonly namespace?: string;
  readonly name?: string;
}

/** The kinds that a role may grant by namespace or name. For other kinds the name is irrelevant. */
const ALLOWED_BY_NAME = new Set([
  ...['configmaps', 'leases', 'namespaces', 'secrets'],
  ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
]);

const text = z.string().default('');
const Entry = z.object({
  verb: text,
  requestURI: text,
  user: z.object({ username: text }),
  impersonatedUser: z.unknown().optional(),
  userAgent: text,
  objectRef: z
    .object({ apiGroup: text, resource: text, subresource: text, namespace: text, name: text })
    .partial()
    .optional(),
});

/** Accounts of the product. User agents are checked too, because tests may use these accounts. */
const OURS = '"username":"system:serviceaccount:portcullis-system:';
const isProgram = (userAgent: string): boolean => /^portcullis-(?:webhook|controller)\//.test(userAgent);

function requestIn(line: string): readonly [Request, string][] {
  const { verb, requestURI, user, impersonatedUser, userAgent, objectRef } = Entry.parse(JSON.parse(line));
  if (objectRef === undefined || impersonatedUser !== undefined || !isProgram(userAgent)) return [];
  const { apiGroup = '', resource = '', subresource = '', namespace = '', name = '' } = objectRef;
  const request = {
    ...{ user: user.username, verb, group: apiGroup },
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    ...(ALLOWED_BY_NAME.has(resource) ? { namespace, name } : {}),
  };
  return [[request, `${verb} ${requestURI}`]];
}

/** Returns the product's requests in an audit log, accepted or rejected, each with an example. */
export function requestsIn(log: string): readonly (readonly [Request, string])[] {
  const lines = log.slice(0, log.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line.includes(OURS)).flatMap(requestIn);
}

/** Records the product's requests in the audit logs of a folder. Runs at the end of each control plane, for the suite grants. */
export function noteRequests(logs: string): void {
  if (!isGathering()) return;
  // A rotated log has a name with the same prefix.
  for (const file of globSync(join(logs, 'audit*.log'))) {
    for (const [request, example] of requestsIn(readFileSync(file, 'utf8'))) noteRequest(request, example);
  }
}

/** Records a request with an example. */
export const noteRequest = (request: Request, example: string): void => {
  note('requests', JSON.stringify(request), example);
};
