import {
  aPicture,
  called,
  withMetadata,
  testInvariant,
  recorded,
  STARTED,
  stored,
  SYNCED,
  SYNCING,
} from '../../../support/invariants/history-builders.ts';
import { readBeforeSynced } from '../../../support/invariants/invariants/cloud-read-before-synced.ts';

const web = stored(undefined, withMetadata());
const result = recorded(SYNCING, SYNCED, { loadBalancers: [aPicture()] });
const REUSED = { loadBalancer: { id: 'lb-hers', use: 'reused' } } as const;
const read = (id: string, outcome = 'OK') =>
  called('DescribeLoadBalancerAttribute', { outcome, parameters: { LoadBalancerId: id } });

/** A Service that counts as synced without a read keeps its wrong state until the next audit. */
testInvariant(readBeforeSynced, {
  keep: {
    'its load balancer was read': [web, STARTED, ...read('lb-1'), result],
    'the load balancer in its binding was read': [
      web,
      recorded(undefined, { ...REUSED, ...SYNCING }),
      STARTED,
      ...read('lb-hers'),
      recorded({ ...REUSED, ...SYNCING }, { ...REUSED, ...SYNCED }),
    ],
    'a user removes the operation': [web, STARTED, { ...result, by: 'others' }],
    'no operation was recorded': [web, STARTED, recorded(SYNCED, SYNCED)],
    'the operation stays': [web, STARTED, recorded(SYNCING, { ...SYNCED, ...SYNCING })],
  },
  break: {
    'no read was sent': [web, STARTED, result],
    'the read failed': [web, STARTED, ...read('lb-1', 'InternalError'), result],
    'another load balancer was read': [web, STARTED, ...read('lb-2'), result],
    'a previous process sent the read': [web, STARTED, ...read('lb-1'), STARTED, result],
  },
});
