import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isGathering, note } from './gathered.ts';

/** A request as RBAC sees it. */
export interface Request {
  /** As the API server names it. */
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `services/status`. */
  readonly resource: string;
  /** Only of what is granted by namespace and name. */
  readonly namespace?: string;
  readonly name?: string;
}

/** Kinds that a role may grant by namespace or name; of all others it is the same which of them somebody asks for. */
const GRANTED_BY_NAME = new Set([
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

/** Accounts of ours, and the programs that are: tests may borrow an account. */
const OURS = '"username":"system:serviceaccount:portcullis-system:';
const isProgram = (userAgent: string): boolean => /^portcullis-(?:webhook|controller)\//.test(userAgent);

function requestIn(line: string): readonly [Request, string][] {
  const { verb, requestURI, user, impersonatedUser, userAgent, objectRef } = Entry.parse(JSON.parse(line));
  if (objectRef === undefined || impersonatedUser !== undefined || !isProgram(userAgent)) return [];
  const { apiGroup = '', resource = '', subresource = '', namespace = '', name = '' } = objectRef;
  const request = {
    ...{ user: user.username, verb, group: apiGroup },
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    ...(GRANTED_BY_NAME.has(resource) ? { namespace, name } : {}),
  };
  return [[request, `${verb} ${requestURI}`]];
}

/** What our processes have asked an API server for, by its audit log, each with one such request; answered or refused. */
export function requestsIn(log: string): readonly (readonly [Request, string])[] {
  const lines = log.slice(0, log.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line.includes(OURS)).flatMap(requestIn);
}

/** Notes what our processes have asked the API server for whose logs are in a folder. */
export function noteRequests(logs: string): void {
  if (!isGathering()) return;
  // One that has become long is put aside under a name that begins alike.
  for (const file of globSync(join(logs, 'audit*.log'))) {
    for (const [request, example] of requestsIn(readFileSync(file, 'utf8'))) noteRequest(request, example);
  }
}

/** Notes a request, or what stands for one. */
export const noteRequest = (request: Request, example: string): void => {
  note('requests', JSON.stringify(request), example);
};
