import type { CallContext } from '../../plan/call-context.ts';
import type { CloudOperation } from '../cloud-call-types.ts';
import type { CloudExecutor } from '../executor.ts';
import { toModel, toParameters, wireName, type ApiParameters } from '../wire-names.ts';

export interface TagPair {
  readonly key: string;
  readonly value: string;
}

interface OnLoadBalancer extends ApiParameters {
  readonly loadBalancerId: string;
}
interface OnServerGroup extends ApiParameters {
  readonly VServerGroupId: string;
}
interface OnListener extends OnLoadBalancer {
  readonly listenerPort: number;
  readonly listenerProtocol: string;
}
interface ListenerRequest extends OnLoadBalancer {
  readonly listenerPort: number;
}
interface OnDomainExtension extends ApiParameters {
  readonly domainExtensionId: string;
}
interface TagRequest extends ApiParameters {
  readonly resourceType: 'instance';
  readonly resourceId: readonly string[];
}

/** The request of each SLB method, with the names of the official package `@alicloud/slb20140515`. The client adds `regionId`. */
export interface SlbRequests {
  describeLoadBalancers: ApiParameters & { readonly pageNumber: number; readonly pageSize: number };
  describeLoadBalancerAttribute: OnLoadBalancer;
  createLoadBalancer: ApiParameters & {
    readonly clientToken: string;
    readonly tag: readonly (TagPair & ApiParameters)[];
  };
  deleteLoadBalancer: OnLoadBalancer;
  setLoadBalancerName: OnLoadBalancer & { readonly loadBalancerName: string };
  setLoadBalancerDeleteProtection: OnLoadBalancer & { readonly deleteProtection: string };
  setLoadBalancerModificationProtection: OnLoadBalancer & { readonly modificationProtectionStatus: string };
  modifyLoadBalancerInstanceSpec: OnLoadBalancer & { readonly loadBalancerSpec: string };
  modifyLoadBalancerInstanceChargeType: OnLoadBalancer & { readonly instanceChargeType: string };
  modifyLoadBalancerInternetSpec: OnLoadBalancer;
  tagResources: TagRequest & { readonly tag: readonly (TagPair & ApiParameters)[] };
  untagResources: TagRequest & { readonly tagKey: readonly string[] };
  describeVServerGroups: OnLoadBalancer;
  describeVServerGroupAttribute: OnServerGroup;
  createVServerGroup: OnLoadBalancer & { readonly VServerGroupName: string; readonly backendServers: string };
  deleteVServerGroup: OnServerGroup;
  addVServerGroupBackendServers: OnServerGroup & { readonly backendServers: string };
  removeVServerGroupBackendServers: OnServerGroup & { readonly backendServers: string };
  setVServerGroupAttribute: OnServerGroup & { readonly backendServers: string };
  describeLoadBalancerListeners: ApiParameters & {
    readonly loadBalancerId: readonly string[];
    readonly maxResults: number;
  };
  createLoadBalancerTCPListener: ListenerRequest;
  createLoadBalancerUDPListener: ListenerRequest;
  createLoadBalancerHTTPListener: ListenerRequest;
  createLoadBalancerHTTPSListener: ListenerRequest;
  setLoadBalancerTCPListenerAttribute: ListenerRequest;
  setLoadBalancerUDPListenerAttribute: ListenerRequest;
  setLoadBalancerHTTPListenerAttribute: ListenerRequest;
  setLoadBalancerHTTPSListenerAttribute: ListenerRequest;
  createDomainExtension: ListenerRequest & { readonly domain: string; readonly serverCertificateId: string };
  setDomainExtensionAttribute: OnDomainExtension & { readonly serverCertificateId: string };
  deleteDomainExtension: OnDomainExtension;
  describeDomainExtensions: ListenerRequest;
  describeAccessControlListAttribute: ApiParameters & { readonly aclId: string };
  describeServerCertificates: ApiParameters & { readonly serverCertificateId: string };
  startLoadBalancerListener: OnListener;
  deleteLoadBalancerListener: OnListener;
}
export type SlbMethod = keyof SlbRequests;

/** The SLB client. Responses have the field names of the official package, but an unchecked shape. */
export interface SlbClient {
  call<Method extends SlbMethod>(
    method: Method,
    request: SlbRequests[Method],
    context: CallContext,
    key?: string,
  ): Promise<unknown>;
  /** Waits until the rate limiter would permit a call. Sends no call. */
  untilOpen(method: SlbMethod, context: CallContext): Promise<void>;
}

const VERSION = '2014-05-15';

/** Parameters that keep a lower-case first letter on the wire. Only the two operations below expect the lower case. */
const VERBATIM: Partial<Record<SlbMethod, readonly string[]>> = {
  createLoadBalancerTCPListener: ['healthCheckInterval'],
  createLoadBalancerUDPListener: ['healthCheckInterval'],
};

export const operationOf = (method: SlbMethod): CloudOperation => ({
  product: 'Slb',
  version: VERSION,
  action: wireName(method),
});

/** Returns an SLB client that sends its calls with the executor. */
export const createSlbClient = (executor: CloudExecutor, regionId: string): SlbClient => ({
  call: async (method, request, context, key) => {
    const parameters = toParameters({ regionId, ...request }, VERBATIM[method]);
    return toModel(await executor.call(operationOf(method), parameters, context, key));
  },
  untilOpen: (method, context) => executor.untilOpen(operationOf(method), context),
});
