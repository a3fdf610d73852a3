import assert from 'node:assert/strict';
import type { ServicePort } from '../../../../src/base/kubernetes-objects.ts';
import {
  annotated,
  apply,
  changes,
  loadBalancers,
  callCount,
  patch,
  running,
  type Running,
} from '../../../support/running-controller.ts';

const CERTIFICATE = { id: 'cert-1', commonName: 'web.example', expiresAt: '2030-01-01T00:00:00Z' };
const SHARED = { id: 'lb-shared', name: 'shared', address: '47.1.1.1' };
const MINE = { port: 443, protocol: 'tcp', attributes: { Description: 'mine', BackendServerPort: 443 } };
const REUSING = { id: 'lb-shared', 'force-override-listeners': 'true' };

const aPort = (port: number, nodePort: number | null = 30_000 + port): ServicePort =>
  ({ name: `p${port}`, port, protocol: 'TCP', targetPort: port, nodePort }) as ServicePort;

/** Obstacles to a listener on port 443, the forwarding target of port 80, with their remedies. */
const OBSTACLES: Readonly<
  Record<
    string,
    {
      readonly annotations?: Readonly<Record<string, string>>;
      /** The annotations in addition to the redirect. */
      readonly requested?: Readonly<Record<string, string>>;
      readonly listeners?: readonly object[];
      readonly ports: readonly ServicePort[];
      readonly reason: string;
      readonly message: RegExp;
      readonly mend: (run: Running) => Promise<unknown>;
    }
  >
> = {
  'is used by a user-managed listener': {
    annotations: REUSING,
    listeners: [MINE],
    ports: [aPort(80), aPort(443)],
    reason: 'PortUnavailable',
    message:
      /^port 443\/tcp of the load balancer is used by a listener that the controller did not create; choose another port, or free this port$/,
    mend: ({ cluster }) =>
      cluster.ask('DeleteLoadBalancerListener', { LoadBalancerId: 'lb-shared', ListenerPort: 443 }),
  },
  'has no node port': {
    ports: [aPort(80), aPort(443, null)],
    reason: 'InvalidPort',
    message: /^port 443: the port has no node port to reach Nodes; set allocateLoadBalancerNodePorts to true$/,
    mend: (run) => patch(run, { spec: { ports: [aPort(80), aPort(443)] } }),
  },
  'names a missing server group': {
    annotations: REUSING,
    requested: { 'vgroup-port': 'rsp-none:443' },
    ports: [aPort(80), aPort(443)],
    reason: 'InvalidPort',
    message:
      /^port 443: server group rsp-none is no user-managed server group of load balancer lb-shared; name a user-managed server group in the annotation vgroup-port$/,
    mend: (run) => patch(run, { metadata: { annotations: annotated({ 'vgroup-port': null }) } }),
  },
  'is no port of the Service': {
    annotations: REUSING,
    ports: [aPort(80)],
    reason: 'RedirectTargetMissing',
    message:
      /^port 80 cannot forward to port 443, because port 443 has no HTTPS listener; add an HTTPS listener, or correct the annotation forward-port; metadata\.annotations\[\S+-protocol-port\]: Invalid value: "https:443": /,
    mend: (run) => patch(run, { spec: { ports: [aPort(80), aPort(443)] } }),
  },
};

const listenersOf = (run: Running) =>
  Object.fromEntries(loadBalancers(run).flatMap(({ listeners }) => listeners.map((each) => [each.port, each])));

/** A redirect to a missing HTTPS listener would make the port unreachable, so the served port must stay unchanged until that listener exists. */
describe('a new redirect of a served port', () => {
  for (const [obstacle, { annotations = {}, requested = {}, listeners = [], ...row }] of Object.entries(OBSTACLES)) {
    it(`waits while its target port ${obstacle}, then takes effect`, async () => {
      const run = await running({}, { certificates: [CERTIFICATE], loadBalancers: [{ ...SHARED, listeners }] });
      await apply(run, { annotations: annotated(annotations), ports: [aPort(80)] });
      const since = callCount(run);
      const redirect = { 'protocol-port': 'http:80,https:443', 'cert-id': 'cert-1', 'forward-port': '80:443' };
      const change = { annotations: annotated({ ...annotations, ...requested, ...redirect }) };
      await patch(run, { metadata: change, spec: { ports: row.ports } });
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(
        changes(run, since).filter((action) => action !== 'CreateVServerGroup'),
        [],
      );
      assert.equal(listenersOf(run)[80]?.protocol, 'tcp');
      const condition = run.cluster.service()?.status?.conditions?.[0];
      assert.equal(condition?.reason, row.reason);
      assert.match(condition.message, row.message);
      await row.mend(run);
      await run.cluster.quiet(6 * 60_000);
      const { 80: from, 443: to } = listenersOf(run);
      assert.deepEqual([from?.protocol, from?.attributes['ForwardPort'], to?.protocol], ['http', 443, 'https']);
      await run.process.stop();
    });
  }
});
