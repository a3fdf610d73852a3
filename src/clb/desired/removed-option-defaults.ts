import type { Options } from '../../annotation/catalogue.ts';
import { listenerDefaultOf } from '../../annotation/default-lookup.ts';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import type { ResettableOption, ResettableOptions } from './resettable-options.ts';
import { creationAttributes, DEFAULT_SPEC } from './load-balancer.ts';
import { annotatedAttributes } from './listener.ts';
import { UNLIMITED_BANDWIDTH, type DesiredListener } from '../model/listener.ts';
import type { LoadBalancer, LoadBalancerAttributes } from '../model/load-balancer.ts';
import type { ClusterSettings } from '../model/cluster-settings.ts';

/** Returns the defaults that no value of an annotation can express, for the options that the user removed. */
const inexpressibleDefaults = (removed: ResettableOptions, protocol: ListenerProtocol) => ({
  ...(removed.has('listenerBandwidth') ? { bandwidth: UNLIMITED_BANDWIDTH } : {}),
  ...(removed.has('domainExtensions') && protocol === 'https' ? { domainExtensions: [] } : {}),
});

/** Returns the listener with the default of each option that the user removed, because the cloud keeps a value until another value is set. */
export function withDefaultsOf(
  removed: ResettableOptions,
  listener: DesiredListener,
  scheduler: 'rr' | 'wrr',
): DesiredListener {
  const { protocol, group } = listener;
  // A listener without a group is a redirect, which has none of these attributes.
  if (removed.size === 0 || group === '') return listener;
  const defaults: Options = Object.fromEntries(
    [...removed].map((name) => [name, name === 'scheduler' ? scheduler : listenerDefaultOf(name, protocol)]),
  );
  return Object.assign(inexpressibleDefaults(removed, protocol), annotatedAttributes(protocol, defaults), listener);
}

/** The attribute that the removal of an option resets. `instanceChargeType` is missing, because a change to the default PayByCLCU is final. */
const ATTRIBUTES: Readonly<Partial<Record<ResettableOption, keyof LoadBalancerAttributes>>> = {
  name: 'name',
  deleteProtection: 'deleteProtection',
  modificationProtection: 'modificationProtection',
  spec: 'spec',
  chargeType: 'internetChargeType',
};

/** Returns whether the load balancer keeps the charge type PayBySpec although the user removed the annotation. */
export const keepsPayBySpec = (
  applied: ResettableOptions,
  { instanceChargeType }: Options,
  observed: LoadBalancer,
): boolean =>
  applied.has('instanceChargeType') && instanceChargeType === undefined && observed.instanceChargeType === 'PayBySpec';

/** Returns the default of each load balancer option that the user removed. */
export function attributeDefaults(
  uid: string,
  options: Options,
  settings: ClusterSettings,
  removed: ResettableOptions,
): LoadBalancerAttributes {
  const initial: LoadBalancerAttributes = {
    internetChargeType: 'paybytraffic',
    // New load balancers have no specification by default, but existing load balancers can have PayBySpec.
    spec: DEFAULT_SPEC,
    ...creationAttributes(uid, options, settings),
  };
  const fields = [...removed].flatMap((name) => ATTRIBUTES[name] ?? []);
  return Object.fromEntries(fields.flatMap((field) => (initial[field] === undefined ? [] : [[field, initial[field]]])));
}
