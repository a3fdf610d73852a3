import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { parseManifests, render, root, type Manifest } from '../support/manifests.ts';
import { workloadsOf, type PodSpec, type Workload } from '../support/workload.ts';

const OVERLAYS = readdirSync(join(root, 'kustomize/overlays')).sort();
/** The overlay with one pod of each process. */
const ONE_POD_EACH = 'local';

/** Taints of Nodes, and the pods that tolerate each taint. */
const TAINTS: Readonly<Record<string, readonly ('controller' | 'controller on the host network' | 'webhook')[]>> = {
  'node-role.kubernetes.io/control-plane': ['controller', 'controller on the host network', 'webhook'],
  'node-role.kubernetes.io/master': ['controller', 'controller on the host network', 'webhook'],
  'node.cloudprovider.kubernetes.io/uninitialized': ['controller', 'controller on the host network'],
  // A pod without the host network has no network on such a Node.
  'node.kubernetes.io/network-unavailable': ['controller on the host network'],
  'node.kubernetes.io/not-ready': ['controller on the host network'],
  'node.kubernetes.io/unschedulable': [],
  'example.com/dedicated': [],
};

type Container = PodSpec['containers'][number];
const containersOf = ({ spec }: Workload): readonly Container[] => spec.template.spec?.containers ?? [];
const podSpecOf = ({ spec }: Workload): Partial<PodSpec> => spec.template.spec ?? {};

/** The pods must be schedulable during upgrades and on unready Nodes, because other pods wait for the controller. */
for (const overlay of OVERLAYS) {
  describe(`the pods of the overlay ${overlay}`, function () {
    this.timeout(60_000);
    let objects: readonly Manifest[] = [];
    let workloads: readonly Workload[] = [];

    before(async () => {
      const { kustomize } = await obtainTools(['kustomize'], { env: process.env, progress: silent });
      objects = parseManifests(await render(kustomize, join('overlays', overlay)));
      workloads = workloadsOf(objects);
      assert.deepEqual(workloads.map(({ metadata }) => metadata.name).sort(), [
        'portcullis-controller',
        'portcullis-webhook',
      ]);
    });

    it(overlay === ONE_POD_EACH ? 'exist' : 'are at least two, or one on each control-plane Node', () => {
      for (const { kind, spec } of workloads) {
        if (kind === 'Deployment') assert.ok((spec.replicas ?? 0) >= (overlay === ONE_POD_EACH ? 1 : 2));
        else assert.match(JSON.stringify(spec.template.spec?.affinity), /"node-role\.kubernetes\.io\/control-plane"/);
      }
    });

    it('are spread over Nodes, and evicted at most one at a time', () => {
      for (const { metadata, kind, spec } of workloads) {
        if (kind === 'DaemonSet') continue;
        const constraints = spec.template.spec?.topologySpreadConstraints ?? [];
        assert.ok(constraints.some(({ topologyKey }) => topologyKey === 'kubernetes.io/hostname'));
        const labels = spec.template.metadata?.labels;
        for (const { labelSelector } of constraints) assert.deepEqual(labelSelector?.matchLabels, labels);
        const budget = objects.find(({ kind: other, metadata: { name } }) => {
          return other === 'PodDisruptionBudget' && name === metadata.name;
        });
        assert.deepEqual(budget?.['spec'], {
          maxUnavailable: 1,
          unhealthyPodEvictionPolicy: 'AlwaysAllow',
          selector: { matchLabels: labels },
        });
      }
    });

    it('have a high priority and requests for resources', () => {
      for (const workload of workloads) {
        assert.equal(podSpecOf(workload).priorityClassName, 'system-cluster-critical');
        for (const { resources } of containersOf(workload)) {
          assert.deepEqual(Object.keys(resources?.requests ?? {}), ['cpu', 'memory']);
          // A CPU limit delays responses for which an API server waits.
          assert.deepEqual(Object.keys(resources?.limits ?? {}), ['memory']);
        }
      }
    });

    it('tolerate exactly the taints that TAINTS lists for them', () => {
      for (const workload of workloads) {
        const { tolerations = [], hostNetwork } = podSpecOf(workload);
        const part = workload.metadata.name.replace('portcullis-', '');
        const who = hostNetwork === true ? `${part} on the host network` : part;
        for (const effect of ['NoSchedule', 'NoExecute']) {
          const tolerated = Object.keys(TAINTS).filter((taint) =>
            tolerations.some(
              ({ key, operator, effect: only }) =>
                key === taint && operator === 'Exists' && (only === undefined || only === effect),
            ),
          );
          const expected = Object.entries(TAINTS).flatMap(([taint, those]) =>
            those.some((one) => one === who) ? [taint] : [],
          );
          assert.deepEqual(tolerated, expected, `${who}, ${effect}`);
        }
        assert.deepEqual(
          tolerations.filter(({ key }) => key === undefined),
          [],
        );
      }
    });

    it('have probes for startup, liveness and readiness', () => {
      for (const { livenessProbe, readinessProbe, startupProbe, ports } of workloads.flatMap(containersOf)) {
        const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path);
        assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz']);
        assert.ok(ports?.some(({ name }) => name === 'health'));
      }
    });

    it('have no privileges on their Node', () => {
      for (const workload of workloads) {
        const { securityContext, volumes = [] } = podSpecOf(workload);
        assert.deepEqual(securityContext, {
          runAsNonRoot: true,
          runAsUser: 65532,
          runAsGroup: 65532,
          fsGroup: 65532,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of containersOf(workload)) {
          assert.deepEqual(container.securityContext, {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          for (const { readOnly } of container.volumeMounts ?? []) assert.equal(readOnly, true);
        }
        assert.deepEqual(
          volumes.filter(({ hostPath }) => hostPath !== undefined),
          [],
        );
      }
    });
  });
}
