import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';
import { answered } from '../../support/eventually.ts';
import { epochSeconds, serviceAccountToken } from '../../support/service-account-token.ts';
import { spawnController, type SpawnedController } from '../../support/spawned-controller.ts';

const ROLE = 'acs:ram::1234567890123456:role/portcullis';
const PROVIDER = 'acs:ram::1234567890123456:oidc-provider/cluster';
const SUBJECT = 'system:serviceaccount:portcullis-system:portcullis-controller';

const service = (name: string, ports: readonly number[]): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: {
      type: 'LoadBalancer',
      selector: { app: 'web' },
      ports: ports.map((port) => ({ name: `p${port}`, port, targetPort: 8080 })),
    },
  });

interface EventOf {
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly message: string;
}

/** Creates a folder like a mounted ConfigMap of a kubelet: all files link through `..data`, which is replaced as a whole. */
function mounted(folder: string): { readonly path: string; readonly write: (content: string) => void } {
  let version = 0;
  mkdirSync(folder);
  symlinkSync(join('..data', 'cloud-config.conf'), join(folder, 'cloud-config.conf'));
  return {
    path: join(folder, 'cloud-config.conf'),
    write: (content) => {
      const before = join(folder, `..${version}`);
      version += 1;
      mkdirSync(join(folder, `..${version}`));
      writeFileSync(join(folder, `..${version}`, 'cloud-config.conf'), content);
      symlinkSync(`..${version}`, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
      rmSync(before, { recursive: true, force: true });
    },
  };
}

interface Rejection {
  /** The content of the cloud-config file. Defaults to a valid one. */
  readonly config?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly pattern: RegExp;
}

const REJECTIONS: Readonly<Record<string, Rejection>> = {
  'a role that does not trust its service account': {
    environment: { ALIBABA_CLOUD_OIDC_PROVIDER_ARN: `${PROVIDER}-other` },
    code: 2,
    pattern:
      /^error: RAM role acs:ram::.* of the service account: AssumeRoleWithOIDC: .*check that ALIBABA_CLOUD_ROLE_ARN names/m,
  },
  'an incomplete role': {
    environment: { ALIBABA_CLOUD_ROLE_ARN: '' },
    code: 2,
    pattern: /^error: the RAM role of the service account \(RRSA\) lacks ALIBABA_CLOUD_ROLE_ARN: set /m,
  },
  'no region, and no metadata service': {
    config: 'Global: {clusterID: c1}',
    // No server listens on this port.
    environment: { METADATA_ENDPOINT: 'http://127.0.0.1:1' },
    code: 2,
    pattern:
      /^error: cloud-config file .*: Global\.region is not set, and the metadata of this machine cannot replace the value \(failed to read the instance metadata at /m,
  },
  'no VPC, and a machine in another region': {
    config: 'Global: {clusterID: c2, region: cn-beijing}',
    code: 2,
    pattern: /^error: cloud-config file .*: Global\.vpcid is missing, but required by "node" and "route"; set the key/m,
  },
};

/** Runs the real process, because credentials and settings come from mounted files and the environment. */
describe('settings and credentials of the controller process', function () {
  this.timeout(300_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;
  /** Processes that exit by themselves, in parallel to the tests of other processes. */
  const ending = new Map<string, SpawnedController>();
  /** The environment of a service account with a role and without a key. */
  let roleEnvironment: Record<string, string> = {};

  const configFile = (name: string, content: string): string => {
    const path = join(cluster.folder, name);
    writeFileSync(path, content);
    return `--cloud-config=${path}`;
  };
  const apply = (text: string) => cluster.plane.kubectlWith(text, 'apply', '-f', '-');
  const read = async (name: string): Promise<Service> =>
    (await cluster.plane.client.get(`/api/v1/namespaces/default/services/${name}`)) as Service;
  const served = (name: string, ports: number) =>
    answered(async () => {
      const { status } = await read(name);
      const ready = status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');
      const { loadBalancers } = cluster.cloud.simulator.state() as { loadBalancers: { listeners: unknown[] }[] };
      return ready?.status === 'True' && loadBalancers.some(({ listeners }) => listeners.length === ports)
        ? true
        : undefined;
    }, `${name} has ${ports} listeners`);

  before(async () => {
    cluster = resources.use(await startControllerCluster());
    cluster.cloud.simulator.seed({ roles: [{ id: ROLE, oidcProviders: [PROVIDER], oidcSubjects: [SUBJECT] }] });
    const tokenFile = join(cluster.folder, 'token');
    const claims = { sub: SUBJECT, iss: 'https://issuer', aud: ['sts.aliyuncs.com'], exp: epochSeconds(36_000) };
    writeFileSync(tokenFile, serviceAccountToken(claims));
    roleEnvironment = {
      ACCESS_KEY_ID: '',
      ACCESS_KEY_SECRET: '',
      ALIBABA_CLOUD_ROLE_ARN: ROLE,
      ALIBABA_CLOUD_OIDC_PROVIDER_ARN: PROVIDER,
      ALIBABA_CLOUD_OIDC_TOKEN_FILE: tokenFile,
    };
    for (const [what, { config, environment }] of Object.entries(REJECTIONS)) {
      const flags = config === undefined ? [] : [configFile(`refused-${ending.size}.yaml`, config)];
      const all = { ...cluster.environment, ...roleEnvironment, ...environment };
      ending.set(what, resources.use(await spawnController([...cluster.flags, ...flags], all)));
    }
  });
  after(async () => {
    await resources.disposeAsync();
  });

  it('allow the role of its service account, whose revoked key is replaced', async () => {
    const config = configFile('bare.yaml', 'Global:\n  clusterID: c1\n');
    await using controller = await cluster.start([config], roleEnvironment);
    await controller.ready();
    await apply(service('web', [80]));
    await served('web', 1);
    // The cloud invalidates the key before its hour ends.
    cluster.cloud.simulator.keys.forgetTemporary();
    await apply(service('web', [80, 81]));
    await served('web', 2);
    const assumed = (await cluster.cloud.journal()).filter(
      ({ action, outcome, userAgent }) =>
        action === 'AssumeRoleWithOIDC' && outcome === 'OK' && userAgent.includes('ClusterId/c1'),
    );
    assert.equal(assumed.length, 2);
    await cluster.plane.kubectl('delete', 'service', 'web', '--timeout=60s');
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
    assert.doesNotMatch(controller.output(), /STS\.|eyJ/, 'the output contains no key or token');
  });

  it('allow the role of the instance', async () => {
    await using controller = await cluster.start([], { ACCESS_KEY_ID: '', ACCESS_KEY_SECRET: '' });
    await controller.ready();
    await answered(
      () => cluster.plane.client.find('/apis/portcullis.io/v1alpha1/cloudinventories/default'),
      'the inventory of the region exists',
    );
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
  });

  it('follow a mounted cloud-config, except for an invalid file and settings that need a restart', async () => {
    const mount = mounted(join(cluster.folder, 'mount'));
    const global = { clusterID: 'c1', region: 'cn-hangzhou', vpcid: 'vpc-1', vswitchid: 'vsw-1' };
    mount.write(JSON.stringify({ Global: global }));
    await using controller = await cluster.start([`--cloud-config=${mount.path}`]);
    await controller.ready();
    const hasEvent = (reason: string, pattern: RegExp) =>
      answered(async () => {
        const path = `/api/v1/namespaces/kube-system/events?fieldSelector=reason%3D${reason}`;
        const { items } = (await cluster.plane.client.get(path)) as { readonly items: readonly EventOf[] };
        return items.some(
          ({ involvedObject: { kind, name }, message }) => `${kind}/${name}` === 'Lease/ccm' && pattern.test(message),
        )
          ? true
          : undefined;
      }, `${reason} is emitted`);

    mount.write('{"Global": {"clusterID": "c1", "regoin": "cn-hangzhou"}}');
    await hasEvent(
      'CloudConfigRejected',
      /unknown key Global\.regoin; did you mean region\?; the previous configuration stays/,
    );
    assert.match((await controller.probe('/metrics')).text, /portcullis_cloud_config_up_to_date 0/);
    await apply(service('before', [80]));
    await served('before', 1);

    mount.write(stringify({ Global: { ...global, clusterID: 'c2', disablePublicSLB: true } }));
    await hasEvent(
      'CloudConfigNeedsRestart',
      /^a change of the cloud-config file takes effect only after a restart: clusterID;/,
    );
    await apply(service('after', [80]));
    await answered(async () => {
      const condition = (await read('after')).status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');
      return condition?.status === 'False' ? condition : undefined;
    }, 'the public Service is denied');
    const metrics = await controller.probe('/metrics');
    assert.match(metrics.text, /leader_election_master_status\{name="ccm"\} 1/);
    assert.match(metrics.text, /workqueue_depth\{name="service"\}/);

    mount.write(JSON.stringify({ Global: global }));
    await served('after', 1);
    assert.match((await controller.probe('/metrics')).text, /portcullis_cloud_config_up_to_date 1/);
    await cluster.plane.kubectl('delete', 'service', 'before', 'after', '--timeout=60s');
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
  });

  for (const [what, { code, pattern }] of Object.entries(REJECTIONS)) {
    it(`end the process in seconds, with a message, if they are wrong: ${what}`, async () => {
      const controller = ending.get(what);
      const output = (): string => controller?.output() ?? '';
      assert.equal(await controller?.ended, code, output());
      assert.match(output(), pattern);
      assert.doesNotMatch(output(), /eyJ/);
    });
  }
});
