import { annotation } from '../keys.ts';
import { BOOLEAN, FLAG, oneOf, FLAG_VALUE } from '../value-type.ts';

/** Annotations for the identity, the name and the protection of the load balancer. */
export const LOAD_BALANCER = {
  id: annotation({
    suffix: 'id',
    value: {
      kind: 'text',
      says: 'the id of one load balancer, such as lb-bp1hfycf39bbeb019pg7m',
      max: 64,
      isId: true,
      pattern: /^lb-[a-z0-9]+$/,
      others: [
        {
          begins: 'nlb-',
          fix: 'make a Service with spec.loadBalancerClass alibabacloud.com/nlb for a network load balancer, or name a classic one',
        },
      ],
    },
    absent: 'a load balancer is created, owned by the Service and deleted with it',
    mutability: {
      kind: 'fixed',
      reason: 'the Service would change its address; make a second Service, move traffic over, then delete this one',
    },
    appliesTo: ['load-balancer'],
    onReused: 'only',
    doc:
      'Reuses a load balancer that exists, instead of creating one. It is never deleted with the Service. One made by this ' +
      'or another cluster for a Service, or one that serves an API server, cannot be reused.',
    example: 'lb-bp1hfycf39bbeb019pg7m',
    since: 'v1.9.3',
  }),
  forceOverrideListeners: annotation({
    suffix: 'force-override-listeners',
    value: { ...BOOLEAN, otherwise: false },
    default: false,
    mutability: { kind: 'updatable' },
    appliesTo: ['listener'],
    onReused: 'only',
    requires: [{ option: 'id', otherwise: 'no-effect' }],
    doc:
      'Whether the listeners of a reused load balancer are managed from the Service. With `true`, a listener missing is ' +
      'created; a port on which somebody else has one is waited for. Without it, only server groups are kept, ' +
      'and what was made with it goes with its port.',
    example: 'true',
    since: 'v1.9.3',
  }),
  name: annotation({
    suffix: 'name',
    value: {
      kind: 'text',
      says: 'a name of 1 to 128 characters that does not begin with http:// or https://',
      max: 128,
      not: ['http://', 'https://'],
    },
    absent: '`a` and the UID of the Service without dashes, cut to 32 characters',
    mutability: { kind: 'updatable' },
    appliesTo: ['load-balancer'],
    onReused: 'applied',
    doc:
      'The name of the load balancer in the console. Letters, digits, `.`, `_` and `-`, beginning with a letter, up to 80 ' +
      'characters are accepted everywhere; names are not unique.',
    example: 'shop-frontend',
    since: 'v1.9.3.304',
  }),
  resourceGroupId: annotation({
    suffix: 'resource-group-id',
    value: {
      kind: 'text',
      says: 'the id of a resource group, such as rg-acfmxazb4ph6aiy',
      max: 64,
      isId: true,
      pattern: /^rg-[a-z0-9]+$/,
    },
    absent: "the cluster's resource group, or else the default one of the account",
    mutability: { kind: 'create-only' },
    appliesTo: ['load-balancer'],
    onReused: 'must-match',
    doc: 'The resource group that the load balancer is created in.',
    example: 'rg-acfmxazb4ph6aiy',
    since: 'v1.9.3.304',
  }),
  additionalResourceTags: annotation({
    suffix: 'additional-resource-tags',
    value: { kind: 'tags', trim: true },
    mutability: { kind: 'updatable' },
    appliesTo: ['load-balancer'],
    onReused: 'applied',
    doc:
      'Tags of the load balancer. On one of its own they are made equal to this list: tags set by hand are removed, and all of ' +
      'them when the annotation is taken away. On a reused one they are added and never removed. Our own tags and those of the ' +
      'cloud stay.',
    example: 'team=shop,env=production',
    since: 'v1.9.3',
  }),
  deleteProtection: annotation({
    suffix: 'delete-protection',
    value: FLAG,
    default: 'on',
    mutability: { kind: 'updatable' },
    appliesTo: ['load-balancer'],
    onReused: 'applied',
    doc:
      'Protects the load balancer from being deleted in the console or through the API. Deleting the Service still works: ' +
      'the protection of an owned load balancer is lifted first.',
    example: 'off',
    since: 'v1.9.3.304',
  }),
  modificationProtection: annotation({
    suffix: 'modification-protection',
    value: oneOf('ConsoleProtection', 'NonProtection'),
    default: 'ConsoleProtection',
    mutability: { kind: 'updatable' },
    appliesTo: ['load-balancer'],
    onReused: 'applied',
    doc: 'Whether the console denies changes of the load balancer. Calls of the API are not affected.',
    example: 'NonProtection',
    since: 'v1.9.3.304',
  }),
  preserveLbOnDelete: annotation({
    suffix: 'preserve-lb-on-delete',
    value: FLAG_VALUE,
    absent: 'an owned load balancer is deleted with its Service',
    mutability: { kind: 'updatable' },
    appliesTo: ['load-balancer'],
    onReused: 'ignored',
    conflicts: [{ option: 'id', otherwise: 'no-effect' }],
    doc:
      'Keeps an owned load balancer when its Service is deleted: its address, listeners and server groups stay, and the backends of the Service are removed. Any text means yes. The value `false` means yes too and gets a warning: ' +
      'remove the annotation instead.',
    example: 'true',
    since: 'v2.10.0 (2024-10)',
  }),
};
