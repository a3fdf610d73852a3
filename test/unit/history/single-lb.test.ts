import { aPicture, called, judges } from '../../support/history/build.ts';
import { singleLB } from '../../support/history/invariants/single-lb.ts';

const made = (id: string, siblings: readonly string[]) =>
  called('CreateLoadBalancer', { after: aPicture({ id }), siblings });

judges(singleLB, {
  keep: {
    'a creation answers the same one twice': [...made('lb-1', ['lb-1']), ...made('lb-1', ['lb-1'])],
    'another follows once the first is gone': [...made('lb-1', ['lb-1']), ...made('lb-2', ['lb-2'])],
  },
  break: { 'a second one comes beside the first': [...made('lb-1', ['lb-1']), ...made('lb-2', ['lb-1', 'lb-2'])] },
});
