import {
  aPicture,
  called,
  held,
  judges,
  recorded,
  STARTED,
  stored,
  SYNCED,
  SYNCING,
} from '../../support/history/build.ts';
import { skipOnlyIfSynced } from '../../support/history/invariants/skip-only-if-synced.ts';

const web = stored(undefined, held());
const result = recorded(SYNCING, SYNCED, { loadBalancers: [aPicture()] });
const REUSED = { loadBalancer: { id: 'lb-hers', use: 'reused' } } as const;
const read = (id: string, outcome = 'OK') =>
  called('DescribeLoadBalancerAttribute', { outcome, parameters: { LoadBalancerId: id } });

judges(skipOnlyIfSynced, {
  keep: {
    'its load balancer was read': [web, STARTED, ...read('lb-1'), result],
    'the load balancer that its binding records was read': [
      web,
      recorded(undefined, { ...REUSED, ...SYNCING }),
      STARTED,
      ...read('lb-hers'),
      recorded({ ...REUSED, ...SYNCING }, { ...REUSED, ...SYNCED }),
    ],
    'somebody else removes the operation': [web, STARTED, { ...result, by: 'others' }],
    'no operation was recorded': [web, STARTED, recorded(SYNCED, SYNCED)],
    'the operation stays': [web, STARTED, recorded(SYNCING, { ...SYNCED, ...SYNCING })],
  },
  break: {
    'nothing was asked': [web, STARTED, result],
    'the read failed': [web, STARTED, ...read('lb-1', 'InternalError'), result],
    'another one was read': [web, STARTED, ...read('lb-2'), result],
    'it was a process before that asked': [web, STARTED, ...read('lb-1'), STARTED, result],
  },
});
