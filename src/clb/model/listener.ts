import type { ListenerProtocol, Scheduler } from '../../inventory/custom-resources.ts';
import type { DomainExtensionId, VServerGroupId } from './ids.ts';
import type { Switch } from './load-balancer.ts';

/** The value of `healthCheckConnectPort` that means the backend's own port, which is the cloud's default at creation. */
export const BACKEND_PORT = -520;

/** The value of `bandwidth` that means no limit. */
export const UNLIMITED_BANDWIDTH = -1;

/** Listener attributes with the SDK's names and times in seconds. Undefined means the API default at creation, and no change later. */
interface ListenerCommon {
  /** 1 to 65535. */
  readonly port: number;
  /** The structured name of the owner; see `naming.ts`. */
  readonly description: string;
  readonly scheduler?: Scheduler;
  /** Mbit/s; -1 is unlimited. */
  readonly bandwidth?: number;
  readonly aclStatus?: Switch;
  readonly aclType?: 'white' | 'black';
  /** A single id, or several ids joined by commas. */
  readonly aclId?: string;
  /** 1 to 65535, or `BACKEND_PORT`. */
  readonly healthCheckConnectPort?: number;
  readonly healthCheckInterval?: number;
  readonly healthyThreshold?: number;
  readonly unhealthyThreshold?: number;
}

interface Layer4 extends ListenerCommon {
  readonly healthCheckSwitch?: Switch;
  readonly healthCheckConnectTimeout?: number;
  readonly connectionDrain?: Switch;
  readonly connectionDrainTimeout?: number;
  readonly proxyProtocolV2Enabled?: boolean;
}

interface HttpProbe {
  readonly healthCheckDomain?: string;
  readonly healthCheckURI?: string;
  readonly healthCheckHttpCode?: string;
}

interface Layer7 extends ListenerCommon, HttpProbe {
  readonly healthCheck?: Switch;
  readonly healthCheckTimeout?: number;
  readonly healthCheckMethod?: 'head' | 'get';
  readonly stickySession?: Switch;
  readonly stickySessionType?: 'insert' | 'server';
  readonly cookieTimeout?: number;
  readonly cookie?: string;
  readonly XForwardedFor_proto?: Switch;
  readonly XForwardedFor_SLBPORT?: Switch;
  readonly XForwardedFor_ClientSrcPort?: Switch;
  readonly idleTimeout?: number;
  readonly requestTimeout?: number;
}

export interface TcpAttributes extends Layer4, HttpProbe {
  readonly protocol: 'tcp';
  readonly healthCheckType?: 'tcp' | 'http';
  readonly persistenceTimeout?: number;
  readonly establishedTimeout?: number;
}

export interface UdpAttributes extends Layer4 {
  readonly protocol: 'udp';
}

export interface HttpAttributes extends Layer7 {
  readonly protocol: 'http';
  readonly listenerForward?: Switch;
  readonly forwardPort?: number;
}

export interface HttpsAttributes extends Layer7 {
  readonly protocol: 'https';
  readonly serverCertificateId?: string;
  readonly enableHttp2?: Switch;
  readonly TLSCipherPolicy?: string;
}

export type ListenerAttributes = TcpAttributes | UdpAttributes | HttpAttributes | HttpsAttributes;

/** The key of a listener within its load balancer. */
export interface ListenerKey {
  readonly port: number;
  readonly protocol: ListenerProtocol;
}

/** An additional domain of an HTTPS listener, with the certificate for clients that request the domain. */
export interface DomainCertificate {
  readonly domain: string;
  readonly certificateId: string;
}

/** An additional domain as the cloud reports it. */
export interface DomainExtension extends DomainCertificate {
  readonly id: DomainExtensionId;
}

/** A desired listener. Its group may not exist yet; `apply` finds the id of the group. */
export type DesiredListener = ListenerAttributes & {
  /** The name or id of the server group; empty for a listener that forwards to another port. */
  readonly group: string;
  /** All additional domains; undefined keeps the existing domains. */
  readonly domainExtensions?: readonly DomainCertificate[];
};

/** A listener as the cloud reports it. */
export type ObservedListener = ListenerAttributes & {
  readonly status: 'starting' | 'running' | 'configuring' | 'stopping' | 'stopped';
  /** Undefined if the listener has no virtual server group. */
  readonly groupId?: VServerGroupId;
  /** Undefined if the domains were not read. */
  readonly domainExtensions?: readonly DomainExtension[];
};

/** Returns whether two listeners need the same port. A UDP listener never needs the port of a TCP, HTTP or HTTPS listener. */
export const shareAPort = (left: ListenerKey, right: ListenerKey): boolean =>
  left.port === right.port && (left.protocol === 'udp') === (right.protocol === 'udp');

/** Returns the port that an HTTP listener redirects to; undefined if the listener has backends instead. */
export const forwardPortOf = (listener: ListenerAttributes): number | undefined =>
  listener.protocol === 'http' && listener.listenerForward === 'on' ? listener.forwardPort : undefined;

/** Returns whether a listener redirects to the target. Only HTTPS listeners can be targets. */
export const forwardsTo = (listener: ListenerAttributes, target: ListenerKey): boolean =>
  forwardPortOf(listener) === target.port && target.protocol === 'https';
