import assert from 'node:assert/strict';
import { annotation } from '../../../support/running-controller.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import { Recorder } from '../../../support/invariants/recorder.ts';
import { KubernetesDouble } from '../../../support/kubernetes-double.ts';
import { aService } from '../../../support/service.ts';
import { aSimulator } from '../../../support/simulator.ts';

const backends = [{ serverId: 'i-1', port: 80, weight: 100, description: 'k8s/80/web/shop/c1' }];

/** Records the cloud state at each change of a Service, in short form. */
function recorded() {
  const recorder = new Recorder();
  const simulator = aSimulator({ watcher: recorder });
  recorder.of(simulator);
  simulator.seed({
    loadBalancers: [{ id: 'lb-hers', serverGroups: [{ id: 'rsp-hers', name: 'hers', backends }] }, { id: 'lb-else' }],
  });
  const kubernetes = new KubernetesDouble(recorder);
  const texts = () =>
    recorder.history.flatMap((moment) =>
      moment.kind === 'stored' ? [moment.loadBalancers.map(({ id }) => id).join()] : [],
    );
  return { recorder, kubernetes, texts };
}

/** The invariants are checked on the record, so a missing state would hide a violation. */
describe('the record of a cluster', () => {
  it('contains at each change of a Service the load balancers that it uses or used', () => {
    const { kubernetes, texts } = recorded();
    kubernetes.put(SERVICES, aService());
    kubernetes.put(SERVICES, aService({ annotations: { [annotation('id')]: 'lb-hers' } }));
    kubernetes.put(SERVICES, aService());
    kubernetes.delete(SERVICES, keyOf(aService()));
    kubernetes.put(SERVICES, aService({ uid: 'another' }));
    assert.deepEqual(texts(), ['', 'lb-hers', 'lb-hers', 'lb-hers', '']);
  });

  it('contains the description of each backend of a group, which names the owner', () => {
    const { recorder, kubernetes } = recorded();
    kubernetes.put(SERVICES, aService({ annotations: { [annotation('id')]: 'lb-hers' } }));
    const [moment] = recorder.history;
    assert.deepEqual(
      moment?.kind === 'stored' && moment.loadBalancers[0]?.groups.map((group) => group.backends[0]?.description),
      ['k8s/80/web/shop/c1'],
    );
  });
});
