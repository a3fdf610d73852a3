import type { Clock } from '../../base/clock.ts';
import { hasReason, messageOf, PortcullisError } from '../../base/errors.ts';
import type { AccessKey, Credentials, CredentialSource } from './credential-types.ts';

/** The number of recent access keys to redact from messages, because a late message may contain an earlier key. */
const REMEMBERED = 8;

const ADVICE =
  'assign a RAM role to the ECS instance or to the service account, or set accessKeyID and accessKeySecret in the cloud-config file. Instead, you can mount a Secret and set --access-key-dir, or set ACCESS_KEY_ID and ACCESS_KEY_SECRET';

/** Returns the credentials of the first configured source. `warn` receives each new failure during which the last key stays in use. */
export function createCredentials(
  sources: readonly CredentialSource[],
  { warn, clock }: { readonly warn: (message: string) => void; readonly clock: Pick<Clock, 'now'> },
): Credentials {
  const seen: AccessKey[] = [];
  let last: { readonly source: CredentialSource; readonly key: AccessKey } | undefined;
  let lastWarning = '';

  const use = (source: CredentialSource, key: AccessKey): AccessKey => {
    if (last?.key.id !== key.id || last.key.secret !== key.secret || last.key.token !== key.token) {
      seen.unshift(key);
      seen.length = Math.min(seen.length, REMEMBERED);
    }
    last = { source, key };
    lastWarning = '';
    return key;
  };
  const keepUsing = (source: CredentialSource, error: unknown): AccessKey => {
    const message = `${source.name}: ${messageOf(error)}`;
    const known = last?.source === source ? last.key : undefined;
    if (known === undefined || (known.expiresAtMs ?? Infinity) <= clock.now()) {
      const reason = hasReason(error, 'Unavailable') ? 'Unavailable' : 'Unauthorized';
      throw new PortcullisError(
        reason,
        known === undefined ? message : `${message}; the previous access key has expired`,
      );
    }
    if (message !== lastWarning) warn(`${message}; the previous access key stays in use`);
    lastWarning = message;
    return known;
  };

  return {
    current: async () => {
      for (const source of sources) {
        try {
          const key = await source.read();
          if (key !== undefined) return use(source, key);
        } catch (error) {
          return keepUsing(source, error);
        }
      }
      const sourceNames = sources.map(({ name }) => name).join(', ');
      throw new PortcullisError('Unauthorized', `no access key found in: ${sourceNames}; ${ADVICE}`);
    },
    markRejected: () => last?.source.markRejected?.(),
    secrets: () => seen.flatMap(({ id, secret, token }) => [id, secret, ...(token === undefined ? [] : [token])]),
  };
}
