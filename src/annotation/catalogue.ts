import { ADDRESS } from './catalogue/address.ts';
import { BACKEND } from './catalogue/backend.ts';
import { BILLING } from './catalogue/billing.ts';
import { HEALTH_CHECK } from './catalogue/health-check.ts';
import { LISTENER } from './catalogue/listener.ts';
import { LISTENER_HTTP } from './catalogue/listener-http.ts';
import { LOAD_BALANCER } from './catalogue/load-balancer.ts';
import { OTHER_CONTROLLERS } from './catalogue/controller-selection.ts';
import type { OptionDefinition } from './option-definition.ts';
import type { ValueOf } from './value-type.ts';

/** All annotations of a Service, by option name, in the order of the reference page. */
export const CATALOGUE = {
  ...LOAD_BALANCER,
  ...ADDRESS,
  ...BILLING,
  ...LISTENER,
  ...LISTENER_HTTP,
  ...HEALTH_CHECK,
  ...BACKEND,
  ...OTHER_CONTROLLERS,
};

/** The name of an annotation in the code, such as `addressType`. */
export type OptionName = keyof typeof CATALOGUE;

/** The parsed annotations of a Service. A property is undefined if its annotation is not set. */
export type Options = {
  readonly [Name in OptionName]?: ValueOf<(typeof CATALOGUE)[Name]['value']>;
};

/** All entries with their option names, in the order of the reference page. */
export const ENTRIES = Object.entries(CATALOGUE) as unknown as readonly (readonly [OptionName, OptionDefinition])[];

/** The families as the reference page and `explain` group them. */
export const FAMILIES: readonly {
  readonly title: string;
  readonly doc: string;
  readonly options: readonly OptionName[];
}[] = [
  {
    title: 'The load balancer',
    doc: 'The identity, the name and the protection of the load balancer.',
    from: LOAD_BALANCER,
  },
  {
    title: 'Address',
    doc: 'The address of the load balancer, and the published status of the Service.',
    from: ADDRESS,
  },
  { title: 'Billing', doc: 'The billing of the load balancer.', from: BILLING },
  {
    title: 'Listeners',
    doc: 'These annotations apply to every port of the Service. If an annotation is removed, the listeners return to its default.',
    from: LISTENER,
  },
  {
    title: 'HTTP and HTTPS listeners',
    doc: 'These annotations apply to ports that `protocol-port` sets to http or https.',
    from: LISTENER_HTTP,
  },
  { title: 'Health checks', doc: 'The health checks of backends.', from: HEALTH_CHECK },
  { title: 'Server groups and backends', doc: 'The backends of the Service and their weights.', from: BACKEND },
  {
    title: 'Other controllers',
    doc: 'These annotations assign a Service to another controller.',
    from: OTHER_CONTROLLERS,
  },
].map(({ title, doc, from }) => ({ title, doc, options: Object.keys(from) as OptionName[] }));
