import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { FLAGS_OF } from './support/program-commands.ts';
import { manifestsOf, type Manifest } from './support/manifests.ts';
import { servingCertificate } from './support/serving-certificate.ts';
import { systemClock } from '../src/base/clock.ts';
import { rootLogger } from '../src/base/log.ts';
import { createRegistry } from '../src/base/process-metrics.ts';
import { createMetrics } from '../webhook/metrics.ts';
import { buildServer } from '../webhook/server/server.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}
interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}
interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly [Container];
}
interface Webhook {
  readonly name: string;
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
  readonly clientConfig: { readonly service: object };
  readonly rules: readonly { readonly operations: readonly string[] }[];
}

const objects = manifestsOf('manifests/{namespace,crds,controller,webhook,certificate}/*.yaml');
const named = (kind: string, name: string): Manifest | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const podOf = (name: string): PodSpec =>
  (named('Deployment', name)?.['spec'] as { readonly template: { readonly spec: PodSpec } }).template.spec;

/** Returns sorted lines `group/resource[names]: verbs`, one for each resource. */
const grants = (...roles: readonly (Manifest | undefined)[]): readonly string[] =>
  roles
    .flatMap((role) => role?.['rules'] as readonly Rule[])
    .flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map((resource) => {
          const names = resourceNames === undefined ? '' : `[${resourceNames.join(',')}]`;
          return `${group === '' ? '' : `${group}/`}${resource}${names}: ${verbs.join(' ')}`;
        }),
      ),
    )
    .sort();

const FOLLOW = 'list watch';
const READ = `get ${FOLLOW}`;

/** The manifests grant permissions and start the processes. A missing permission stops the controller, and an unneeded permission is a risk. */
describe('the manifests', () => {
  it('have one object in each file', () => {
    const files = objects.map(({ file }) => file);
    assert.deepEqual(
      files.filter((file, index) => files.indexOf(file) !== index),
      [],
    );
  });

  it('use the namespace portcullis-system, except for the Lease in kube-system', () => {
    const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace));
    assert.deepEqual(namespaces, new Set([undefined, 'portcullis-system', 'kube-system']));
    const elsewhere = objects
      .filter(({ metadata }) => metadata.namespace === 'kube-system')
      .map(({ file }) => basename(file));
    assert.deepEqual(elsewhere, ['role-binding-election.yaml', 'role-election.yaml']);
  });

  it('aggregate nothing into the default user roles', () => {
    for (const object of objects) assert.doesNotMatch(JSON.stringify(object), /aggregate-to/);
  });

  for (const name of ['webhook', 'controller']) {
    it(`start the ${name} with known arguments, as its own service account`, () => {
      const { containers, serviceAccountName } = podOf(`portcullis-${name}`);
      const [command, ...flags] = containers[0].args;
      assert.equal(command, name);
      const known = FLAGS_OF.get(name) ?? [];
      assert.deepEqual(
        flags.filter((flag) => !known.includes(flag.split('=')[0] ?? '')),
        [],
      );
      assert.equal(serviceAccountName, `portcullis-${name}`);
    });

    it(`mount only files that the ${name} uses`, () => {
      const [{ args, volumeMounts }] = podOf(`portcullis-${name}`).containers;
      for (const { mountPath } of volumeMounts) {
        assert.ok(
          args.some((flag) => flag.includes(`=${mountPath}`)),
          mountPath,
        );
      }
    });
  }

  it('grant the controller its permissions', () => {
    assert.deepEqual(
      grants(
        named('ClusterRole', 'portcullis-controller'),
        named('Role', 'portcullis-controller-election'),
        named('Role', 'portcullis-controller-protected'),
      ),
      [
        'configmaps: create',
        'configmaps[portcullis-protected]: get patch',
        'coordination.k8s.io/leases: create',
        'coordination.k8s.io/leases[ccm]: get update',
        `discovery.k8s.io/endpointslices: ${FOLLOW}`,
        `endpoints: ${FOLLOW}`,
        'events: create patch',
        `namespaces: ${FOLLOW}`,
        'namespaces[kube-system]: get',
        'nodes/status: patch',
        `nodes: ${READ} patch delete`,
        'openreports.io/reports: list watch create patch delete',
        'pods/status: patch',
        `pods: ${FOLLOW}`,
        `portcullis.io/classicloadbalancers: ${FOLLOW} create patch delete`,
        'portcullis.io/cloudinventories/status: patch',
        `portcullis.io/cloudinventories: ${READ} create`,
        `portcullis.io/loadbalancerbindings: ${READ} create patch delete`,
        'portcullis.io/loadbalancerexceptions/status: patch',
        `portcullis.io/loadbalancerexceptions: ${FOLLOW}`,
        'portcullis.io/loadbalancerpolicies/status: patch',
        `portcullis.io/loadbalancerpolicies: ${FOLLOW}`,
        'services/status: patch',
        `services: ${READ} patch`,
        'wgpolicyk8s.io/policyreports: list watch create patch delete',
      ],
    );
  });

  it('grant the webhook only list and watch, and grant no role access to Secrets', () => {
    assert.deepEqual(grants(named('ClusterRole', 'portcullis-webhook')), [
      `namespaces: ${FOLLOW}`,
      `portcullis.io/classicloadbalancers: ${FOLLOW}`,
      `portcullis.io/cloudinventories: ${FOLLOW}`,
      `portcullis.io/loadbalancerbindings: ${FOLLOW}`,
      `portcullis.io/loadbalancerexceptions: ${FOLLOW}`,
      `portcullis.io/loadbalancerpolicies: ${FOLLOW}`,
      `services: ${FOLLOW}`,
    ]);
    for (const { kind, rules } of objects) {
      if (kind.endsWith('Role')) assert.doesNotMatch(JSON.stringify(rules), /secrets|\*/);
    }
  });
});

describe('the webhook configurations', () => {
  const configurations = objects.filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
  const webhooks = configurations.flatMap((object) => object['webhooks'] as readonly Webhook[]);

  it('have the documented names', () => {
    assert.deepEqual(webhooks.map(({ name }) => name).sort(), [
      'mutate-node.portcullis.io',
      'mutate-service.portcullis.io',
      'validate-node.portcullis.io',
      'validate-service.portcullis.io',
    ]);
  });

  it('call the Service with the port of the process', () => {
    const paths = new Map(webhooks.map(({ name, clientConfig }) => [name, clientConfig.service]));
    for (const [name, service] of paths) {
      const path = name.startsWith('mutate-') ? '/mutate' : '/validate';
      assert.deepEqual(service, { namespace: 'portcullis-system', name: 'portcullis-webhook', path, port: 443 });
    }
    const { ports } = named('Service', 'portcullis-webhook')?.['spec'] as { readonly ports: object };
    assert.deepEqual(ports, [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 'https' }]);
    const [container] = podOf('portcullis-webhook').containers;
    const port = container.ports.find(({ name }) => name === 'https')?.containerPort;
    assert.ok(container.args.includes(`--port=${port ?? 0}`));
  });

  it('name the paths of the server', async () => {
    const { certificate, key } = await servingCertificate();
    const pair = { cert: Buffer.from(certificate), key: Buffer.from(key) };
    const undecided = () => {
      throw new Error('the test sends no request');
    };
    const metrics = createMetrics(createRegistry('webhook'));
    const log = rootLogger('silent');
    const server = buildServer(
      { mutate: undecided, validate: undecided, clock: systemClock, log, metrics, maxInFlight: 1 },
      pair,
    );
    for (const url of ['/mutate', '/validate']) assert.ok(server.hasRoute({ method: 'POST', url }), url);
    await server.close();
  });

  it('allow a request if the webhook does not respond within a short timeout', () => {
    for (const { name, failurePolicy, timeoutSeconds, rules } of webhooks) {
      assert.equal(failurePolicy, 'Ignore', name);
      assert.equal(timeoutSeconds, name.startsWith('mutate-') ? 2 : 3, name);
      assert.deepEqual(rules[0]?.operations, ['CREATE', 'UPDATE'], name);
    }
  });

  it('trust the authority of the served certificate', () => {
    const certificate = named('Certificate', 'portcullis-webhook');
    const { secretName, dnsNames } = certificate?.['spec'] as { secretName: string; dnsNames: string[] };
    assert.deepEqual(dnsNames, ['portcullis-webhook.portcullis-system.svc']);
    assert.match(JSON.stringify(podOf('portcullis-webhook')), new RegExp(`"secretName":"${secretName}"`));
    for (const { metadata } of configurations) {
      assert.equal(metadata.annotations?.['cert-manager.io/inject-ca-from'], 'portcullis-system/portcullis-webhook');
    }
  });
});
