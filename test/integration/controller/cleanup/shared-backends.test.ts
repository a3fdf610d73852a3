import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import { aPodSlice, interfacesOf } from '../../../support/pods.ts';
import {
  annotated,
  changes,
  loadBalancers,
  callCount,
  patch,
  running,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';
import { anotherService, remove } from '../../../support/service-changes.ts';

const userManaged = (id: string) => ({ id, name: id, backends: [] });
const SEED = {
  networkInterfaces: interfacesOf(3),
  loadBalancers: [{ id: 'lb-a', name: 'a', serverGroups: [userManaged('rsp-1'), userManaged('rsp-2')] }],
};
const annotations = annotated({ id: 'lb-a', 'vgroup-port': 'rsp-1:80' });
const web = aService({ annotations });
const api = (namespace = 'shop') => anotherService({ namespace, annotations });

const members = (run: Running, group: string): readonly string[] =>
  (loadBalancers(run)[0]?.serverGroups.find(({ name }) => name === group)?.backends ?? [])
    .map((backend) => `${backend.serverIp ?? ''} ${(backend as unknown as { description: string }).description}`)
    .sort();
const of = (name: string, ...pods: readonly number[]) => pods.map((pod) => `10.1.1.${pod} k8s/80/${name}/shop/c1`);

interface Row {
  /** Pods of `web`, the first Service. The pods of `api` are always 1 and 2. */
  readonly pods?: readonly number[];
  readonly namespace?: string;
  readonly act: (run: Running) => Promise<void>;
  readonly first: readonly string[];
  readonly second?: readonly string[];
  readonly calls?: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'gets the description of the other Service without a removal if the first is deleted': {
    pods: [1, 2, 3],
    act: (run) => remove(run),
    first: of('api', 1, 2),
    calls: ['SetVServerGroupAttribute', 'RemoveVServerGroupBackendServers'],
  },
  'gets the description of the other Service if the first names another group': {
    act: (run) => patch(run, { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-2:80' }) } }),
    first: of('api', 1, 2),
    second: of('web', 1, 2),
  },
  'follows the pods of the other Service after the first is deleted': {
    act: async (run) => {
      await remove(run);
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(api(), [2, 3]));
      await run.cluster.quiet();
    },
    first: of('api', 2, 3),
  },
  'is removed if one Service is deleted after the other': {
    act: async (run) => {
      await remove(run);
      await remove(run, 60_000, api());
    },
    first: [],
  },
  'is removed if both Services are deleted at the same time': {
    act: async (run) => {
      run.cluster.kubernetes.delete(SERVICES, keyOf(web));
      await remove(run, 60_000, api());
    },
    first: [],
  },
  'is removed with the first Service if the other is of another namespace': {
    namespace: 'bank',
    act: (run) => remove(run),
    first: [],
  },
};

/** Two Services can register one backend in a server group. The cleanup of one Service must not interrupt the traffic of the other. */
describe('a backend that two Services have in one user-managed server group', () => {
  for (const [title, { pods = [1, 2], namespace, act, first, second = [], calls }] of Object.entries(ROWS))
    it(title, async () => {
      const run = await running({ settings: { backendType: 'eni' } }, SEED);
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(web, pods));
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(api(namespace), [1, 2]));
      for (const service of [web, api(namespace)]) {
        run.cluster.kubernetes.put(SERVICES, service);
        await run.cluster.quiet();
      }
      const since = callCount(run);
      await act(run);
      assert.deepEqual([members(run, 'rsp-1'), members(run, 'rsp-2')], [first, second]);
      if (calls !== undefined) assert.deepEqual(changes(run, since), calls);
      await run.process.stop();
    });
});
