/** Where an annotation takes effect. */
export type AppliesTo =
  | 'selection'
  | 'load-balancer'
  | 'status'
  | 'listener'
  | 'listener:tcp'
  | 'listener:udp'
  | 'listener:http'
  | 'listener:https'
  | 'server-group'
  | 'backend';

/** Why a text is not a value: what may stand there, and what to do about it, without full stops. */
export interface ValueFault {
  readonly allowed: string;
  readonly fix: string;
}

export type ParsedValue<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: ValueFault };
