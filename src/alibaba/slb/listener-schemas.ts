import { z } from 'zod';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import type { ApiParameters } from '../wire-names.ts';
import { flag, optionalText, oneOf, wholeNumber } from './field-schemas.ts';

const onOff = oneOf(['on', 'off']);
/** An optional whole number. Unreadable values become undefined, as for all attributes of listeners. */
const number = wholeNumber.optional().catch(undefined);
const text = optionalText.catch(undefined);
const yesNo = flag.optional().catch(undefined);

/** The scheduling algorithm of a listener. */
export const scheduler = oneOf(['wrr', 'rr', 'sch', 'tch', 'qch', 'wlc']);

const COMMON = {
  scheduler,
  bandwidth: number,
  aclStatus: onOff,
  aclType: oneOf(['white', 'black']),
  aclId: text,
  healthCheckConnectPort: number,
  healthCheckInterval: number,
  healthyThreshold: number,
  unhealthyThreshold: number,
};
const LAYER_4 = {
  ...COMMON,
  healthCheckSwitch: onOff,
  healthCheckConnectTimeout: number,
  connectionDrain: onOff,
  connectionDrainTimeout: number,
  proxyProtocolV2Enabled: yesNo,
};
const HTTP_PROBE = { healthCheckDomain: text, healthCheckURI: text, healthCheckHttpCode: text };
const LAYER_7 = {
  ...COMMON,
  ...HTTP_PROBE,
  healthCheck: onOff,
  healthCheckTimeout: number,
  healthCheckMethod: oneOf(['head', 'get']),
  stickySession: onOff,
  stickySessionType: oneOf(['insert', 'server']),
  cookieTimeout: number,
  cookie: text,
  XForwardedFor_proto: onOff,
  XForwardedFor_SLBPORT: onOff,
  XForwardedFor_ClientSrcPort: onOff,
  idleTimeout: number,
  requestTimeout: number,
};

/**
 * The attributes of listeners, by protocol. The keys are the names of request parameters. The schemas parse responses, after `listeners.ts` renames
 * `healthCheck`.
 */
export const FIELDS = {
  tcp: z.object({
    ...LAYER_4,
    ...HTTP_PROBE,
    healthCheckType: oneOf(['tcp', 'http']),
    persistenceTimeout: number,
    establishedTimeout: number,
  }),
  udp: z.object(LAYER_4),
  http: z.object({ ...LAYER_7, listenerForward: onOff, forwardPort: number }),
  https: z.object({ ...LAYER_7, serverCertificateId: text, enableHttp2: onOff, TLSCipherPolicy: text }),
} satisfies Record<ListenerProtocol, z.ZodObject>;

/** The request parameter that switches health checks on or off. In responses, the name is always `healthCheck`. */
export const HEALTH_CHECK_SWITCH: Readonly<Record<ListenerProtocol, string>> = {
  tcp: 'healthCheckSwitch',
  udp: 'healthCheckSwitch',
  http: 'healthCheck',
  https: 'healthCheck',
};

/** Attributes that the API requires at creation, with the values to send if the caller sets none. */
export const REQUIRED_AT_CREATION: Readonly<Record<ListenerProtocol, ApiParameters>> = {
  tcp: { bandwidth: -1 },
  udp: { bandwidth: -1 },
  http: { healthCheck: 'off' },
  https: { bandwidth: -1, healthCheck: 'off' },
};
