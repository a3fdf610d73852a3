import credentialsPackage from '@alicloud/credentials';
import { checkedBeforeSend } from './check-before-send.ts';
import { CloudRejection, type Product, type CloudTransport } from './cloud-call-types.ts';
import type { Credentials } from './credentials/credential-types.ts';
import type { CloudEndpoints } from './endpoints.ts';
import { callSdk, sdkClient, type SdkClient } from './sdk.ts';

const { default: Credential } = credentialsPackage;

export interface CloudTransportOptions {
  readonly endpoints: CloudEndpoints;
  readonly regionId: string;
  readonly credentials: Credentials;
  /** The user agent, such as `portcullis/0.1.0 ClusterId/c1`. The SDK puts its own user agent in front. */
  readonly userAgent: string;
}

/** Error codes that mean that the cloud rejects every call with the access key. */
const KEY_REJECTED = /^(InvalidAccessKeyId|InvalidSecurityToken|MissingSecurityToken)(\.|$)/;

/** Returns the transport. An abort stops only an unsent call: the socket of a sent call stays open until its timeout. */
export function createTransport({
  endpoints,
  regionId,
  credentials,
  userAgent,
}: CloudTransportOptions): CloudTransport {
  const clients = new Map<Product, SdkClient>();
  const provider = {
    getProviderName: () => 'portcullis',
    getCredentials: async () => {
      const { id, secret, token } = await credentials.current();
      const providerName = token === undefined ? 'static_ak' : 'static_sts';
      return { accessKeyId: id, accessKeySecret: secret, securityToken: token, providerName };
    },
  };
  const credential = new Credential(null, provider);
  const clientOf = (product: Product): SdkClient => {
    const existing = clients.get(product);
    if (existing !== undefined) return existing;
    const { host, protocol } = endpoints(product);
    const client = sdkClient({ credential, endpoint: host, protocol, regionId, userAgent });
    clients.set(product, client);
    return client;
  };
  return async (operation, parameters, signal, beforeSend) => {
    signal.throwIfAborted();
    // Runs right before the call is sent, because the wait for a key or a connection may outlast the timeout or the Lease.
    const check = (): void => {
      signal.throwIfAborted();
      beforeSend();
    };
    try {
      const client = clientOf(operation.product);
      return await checkedBeforeSend(check, () => callSdk(client, { operation, query: parameters, isSigned: true }));
    } catch (error) {
      if (error instanceof CloudRejection && KEY_REJECTED.test(error.code)) credentials.markRejected();
      throw error;
    }
  };
}
