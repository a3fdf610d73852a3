import assert from 'node:assert/strict';
import type { Service, ServicePort } from '../../../src/objects.ts';
import { ENDPOINT_SLICES, SERVICES } from '../../support/cluster.ts';
import { addressOf, aPodSlice, interfacesOf } from '../../support/pods.ts';
import { ports, requiring, ruled, type Ruled } from '../../support/ruled.ts';
import { annotated, apply, loadBalancers, patch, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const ACL = requiring({ annotation: 'acl-status', oneOf: ['on'] });

const listening = (run: Running): readonly number[] => (loadBalancers(run)[0]?.listeners ?? []).map(({ port }) => port);

/** Where the groups of the load balancer lead, each place once. */
const leadsTo = (run: Running): readonly string[] => [
  ...new Set(
    (loadBalancers(run)[0]?.serverGroups ?? []).flatMap(({ backends }) =>
      backends.map(({ serverIp, serverId, port }) => `${serverId.startsWith('eni-') ? serverIp : 'node'}:${port}`),
    ),
  ),
];

const onNodePort = (nodePort: number, numbers: readonly number[]): readonly ServicePort[] =>
  ports(...numbers).map((port) => ({ ...port, nodePort }));

const SCTP: ServicePort = { name: 's', port: 82, protocol: 'SCTP', targetPort: 82, nodePort: 30_082 };

interface Row {
  /** What is changed once port 80 is served on node port 30080. */
  readonly change: object;
  readonly enforce?: typeof ACL;
  readonly reason: string;
  readonly leadsTo: readonly string[];
}

/** Changes that leave listener 80 where it is. */
const CHANGES: Readonly<Record<string, Row>> = {
  'a policy keeps, once its node port is given back': {
    enforce: ACL,
    change: { spec: { ports: ports(8080) } },
    reason: 'Policy',
    leadsTo: [],
  },
  'a policy keeps, while its node port is the Service’s': {
    enforce: ACL,
    change: { spec: { ports: onNodePort(30_080, [8080]) } },
    reason: 'Policy',
    leadsTo: ['node:30080'],
  },
  'a port that cannot be carried out keeps, once its node port is given back': {
    change: { spec: { ports: [...ports(81), SCTP] } },
    reason: 'InvalidObject',
    leadsTo: [],
  },
  'a fault of the whole Service keeps, once its node port is given back': {
    change: { spec: { ports: ports(8080) }, metadata: { annotations: annotated({ scheduler: 'nonsense' }) } },
    reason: 'InvalidObject',
    leadsTo: [],
  },
};

describe('a listener that', () => {
  for (const [what, row] of Object.entries(CHANGES)) {
    it(`${what}, leads to ${row.leadsTo.join() || 'nothing'}`, async () => {
      const { run, enforce } = await ruled();
      await apply(run);
      if (row.enforce !== undefined) await enforce(row.enforce);
      await patch(run, row.change);
      assert.deepEqual([listening(run), leadsTo(run), standing(run)], [[80], row.leadsTo, ['False', row.reason]]);
      await run.process.stop();
    });
  }
});

describe('a listener that a policy keeps for pods', () => {
  let rules: Ruled;

  const web = (port: number, annotations = { [BACKEND_TYPE]: 'eni' }): Service => {
    const service = aService({ ports: [port], annotations });
    return { ...service, spec: { ...service.spec, selector: { app: 'web' } } };
  };
  /** The Service's pods from now on, of which the first may not be ready. */
  const roll = async (pods: readonly number[], isReady = true): Promise<void> => {
    const slice = aPodSlice(web(8080), pods);
    const [first, ...others] = slice.endpoints ?? [];
    if (first === undefined) throw new Error('no pods');
    const endpoints = [{ ...first, conditions: { ready: isReady } }, ...others];
    rules.run.cluster.kubernetes.put(ENDPOINT_SLICES, { ...slice, endpoints });
    await rules.run.cluster.quiet();
  };
  const at = (...pods: readonly number[]): readonly string[] => pods.map((pod) => `${addressOf(pod)}:80`);

  beforeEach(async () => {
    rules = await ruled(undefined, { networkInterfaces: interfacesOf(4) });
    const { run, enforce } = rules;
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(web(80), [1, 2]));
    run.cluster.kubernetes.put(SERVICES, web(80));
    await run.cluster.quiet();
    await enforce(ACL);
    await patch(run, { spec: { ports: web(8080).spec?.ports } });
    assert.deepEqual([listening(run), leadsTo(run)], [[80], at(1, 2)]);
  });

  afterEach(async () => rules.run.process.stop());

  it('leads to none that is gone', async () => {
    await roll([2, 3]);
    assert.deepEqual([listening(rules.run), leadsTo(rules.run)], [[80], at(2)]);
  });

  it('leads on to one that is not ready for a while', async () => {
    await roll([1, 2], false);
    assert.deepEqual([listening(rules.run), leadsTo(rules.run)], [[80], at(1, 2)]);
  });

  it('leads to none that is gone, also once Nodes are to be the backends', async () => {
    await patch(rules.run, { metadata: { annotations: { [BACKEND_TYPE]: 'ecs' } } });
    assert.deepEqual(leadsTo(rules.run), at(1, 2));
    await roll([2, 3]);
    assert.deepEqual([listening(rules.run), leadsTo(rules.run)], [[80], at(2)]);
  });
});
