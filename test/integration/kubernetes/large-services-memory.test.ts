import { assertFits } from '../../support/large-services/memory.ts';

/** Tenants can create very large Services. If the caches exceeded the memory limits, Kubernetes would kill the process. `make soak` has further kinds. */
describe('5,000 large Services', function () {
  this.timeout(300_000);

  it('with large fields of every kind fit into the shipped memory limits', () =>
    assertFits('large fields of every kind', 'streaming lists'));
});
