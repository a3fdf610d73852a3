import { z } from 'zod';
import { PortcullisError } from '../../base/errors.ts';
import type { Metadata } from '../metadata.ts';
import type { IssuedKey, KeyIssuer } from './key-renewal.ts';

/** The response of the metadata service with the key of a role. Messages must not quote the response. */
const RoleDocument = z.object({
  Code: z.literal('Success'),
  AccessKeyId: z.string().min(1),
  AccessKeySecret: z.string().min(1),
  SecurityToken: z.string().min(1),
  Expiration: z.iso.datetime(),
});

const FOLDER = 'ram/security-credentials/';

/** Returns the issuer of keys for the RAM role of this ECS instance. */
export function instanceRole(metadata: Metadata, named: string | undefined): KeyIssuer {
  return {
    name: 'RAM role of the instance',
    issue: async (signal) => {
      // This folder lists the name of the attached role.
      const role = named ?? (await metadata.read(FOLDER, signal))?.split('\n')[0];
      if (role === undefined) return undefined;
      const text = await metadata.read(`${FOLDER}${encodeURIComponent(role)}`, signal);
      if (text === undefined)
        throw new PortcullisError(
          'Unauthorized',
          `the instance has no role ${JSON.stringify(role)}: attach the role in the console, or correct ALIBABA_CLOUD_ECS_METADATA`,
        );
      return keyIn(text, role);
    },
  };
}

function keyIn(text: string, role: string): IssuedKey {
  const document = RoleDocument.safeParse(parsed(text));
  if (!document.success)
    throw new PortcullisError(
      'Unauthorized',
      `the metadata service issues no key for role ${JSON.stringify(role)}: check that the role exists and that ECS may assume the role`,
    );
  const { AccessKeyId: id, AccessKeySecret: secret, SecurityToken: token, Expiration } = document.data;
  return { id, secret, token, expiresAtMs: Date.parse(Expiration) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
