import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { installCertManagerKinds } from '../../src/local/up/cluster-components.ts';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import type { AlertGroup } from '../support/alerts.ts';
import { borrowControlPlane } from '../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../support/control-plane.ts';
import { temporaryFolder } from '../support/folder.ts';
import { composed, type Composition } from '../support/kustomization.ts';
import { actionsOf, parseManifests, render, root, type Manifest } from '../support/manifests.ts';
import { PROMETHEUS_KINDS } from '../support/prometheus-kinds.ts';
import { workloadsOf, type PodSpec, type Workload } from '../support/workload.ts';

const COMPONENTS = readdirSync(join(root, 'kustomize/components')).sort();
const OVERLAYS = readdirSync(join(root, 'kustomize/overlays')).sort();
/** Components that the overlays already contain. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  'self-managed-cluster': ['access-key', 'cert-manager', 'control-plane', 'host-network'],
};
const IN_ALL = ['access-key', 'cert-manager'];
/** The rules of a NetworkPolicy. */
interface PolicyRules {
  readonly ingress: readonly PolicyRule[];
  readonly egress: readonly PolicyRule[];
}
interface PolicyRule {
  readonly from?: readonly object[];
  readonly to?: readonly object[];
  readonly ports: readonly { readonly port: number }[];
}

/** The component that removes objects of other components, and must therefore be the last in a list. */
const TAKES_AWAY = 'without-webhook';
/** The maximum number of admission policies of an installation, because the API server compiles and runs each. */
const MOST_POLICIES = 6;
/** The component that each component replaces. */
const TAKES_PLACE: Readonly<Record<string, string>> = { 'self-managed-certificates': 'cert-manager' };

const PAIRS = COMPONENTS.flatMap((one, index) => COMPONENTS.slice(index + 1).map((other) => [one, other] as const));

const named = (objects: readonly Manifest[], kind: string, name: string): Manifest | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const workloadOf = (objects: readonly Manifest[], name: string): Workload | undefined =>
  workloadsOf(objects).find(({ metadata }) => metadata.name === `portcullis-${name}`);
const podOf = (objects: readonly Manifest[], name: string): Partial<PodSpec> =>
  workloadOf(objects, name)?.spec.template.spec ?? {};
const argsOf = (objects: readonly Manifest[], name: string): readonly string[] =>
  podOf(objects, name).containers?.[0]?.args ?? [];

const groupsOf = (objects: readonly Manifest[]): readonly AlertGroup[] =>
  objects
    .filter(({ kind }) => kind === 'PrometheusRule')
    .flatMap(({ spec }) => (spec as { readonly groups: readonly AlertGroup[] }).groups);
const runbooksOf = (objects: readonly Manifest[]): readonly string[] =>
  groupsOf(objects).flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook_url));

/** Checks of the objects of each component. */
const BRINGS: Readonly<Record<string, (objects: readonly Manifest[]) => void>> = {
  'access-key': (objects) => {
    assert.ok(argsOf(objects, 'controller').includes('--access-key-dir=/etc/portcullis/access-key'));
    const volume = podOf(objects, 'controller').volumes?.find(({ name }) => name === 'access-key');
    assert.equal(volume?.secret?.secretName, 'portcullis-access-key');
  },
  'cert-manager': (objects) => {
    assert.ok(named(objects, 'Certificate', 'portcullis-webhook') !== undefined);
  },
  'control-plane': (objects) => {
    assert.equal(workloadOf(objects, 'controller')?.kind, 'DaemonSet');
    assert.equal(named(objects, 'PodDisruptionBudget', 'portcullis-controller'), undefined);
    assert.ok(named(objects, 'PodDisruptionBudget', 'portcullis-webhook') !== undefined);
  },
  gitops: (objects) => {
    assert.ok(argsOf(objects, 'webhook').includes('--deprecated-keys=keep'));
  },
  'host-network': (objects) => {
    const { hostNetwork, dnsPolicy, tolerations = [] } = podOf(objects, 'controller');
    assert.deepEqual({ hostNetwork, dnsPolicy }, { hostNetwork: true, dnsPolicy: 'Default' });
    assert.ok(tolerations.some(({ key }) => key === 'node.kubernetes.io/network-unavailable'));
    assert.equal(podOf(objects, 'webhook').hostNetwork, undefined);
  },
  'keep-crds': (objects) => {
    const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    assert.ok(definitions.length > 0);
    for (const { metadata } of definitions)
      assert.deepEqual(metadata.annotations, {
        'helm.sh/resource-policy': 'keep',
        'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
        'kustomize.toolkit.fluxcd.io/prune': 'disabled',
      });
  },
  mtls: (objects) => {
    assert.ok(argsOf(objects, 'webhook').includes('--client-ca-file=/etc/portcullis/clients/ca.crt'));
    const volume = podOf(objects, 'webhook').volumes?.find(({ name }) => name === 'clients');
    assert.equal(volume?.configMap?.name, 'portcullis-api-server-ca');
  },
  'network-policy': (objects) => {
    const pods = objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata }) => metadata.name);
    assert.deepEqual(pods.toSorted(), ['portcullis-controller', 'portcullis-webhook']);
    const rulesOf = (part: string): PolicyRules => named(objects, 'NetworkPolicy', part)?.['spec'] as PolicyRules;
    for (const part of ['webhook', 'controller']) {
      const { ingress, egress } = rulesOf(`portcullis-${part}`);
      for (const rule of [...ingress, ...egress]) {
        assert.ok((rule.from ?? rule.to ?? []).length > 0, `${part}: a rule names no source and no destination`);
        assert.ok(rule.ports.length > 0, `${part}: a rule names no port`);
      }
      const opened = ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
      const listening = (podOf(objects, part).containers ?? []).flatMap(({ ports = [] }) =>
        ports.map(({ containerPort }) => containerPort),
      );
      assert.deepEqual(opened.toSorted(), listening.toSorted());
    }
  },
  prometheus: (objects) => {
    for (const { metadata, spec } of workloadsOf(objects)) {
      const monitor = named(objects, 'PodMonitor', metadata.name)?.['spec'] as {
        readonly selector: { readonly matchLabels: object };
        readonly podMetricsEndpoints: readonly { readonly port: string }[];
      };
      assert.deepEqual(monitor.selector.matchLabels, spec.template.metadata?.labels);
      const ports = spec.template.spec?.containers[0]?.ports?.map(({ name }) => name);
      for (const { port } of monitor.podMetricsEndpoints) assert.ok(ports?.includes(port));
    }
  },
  'prometheus-annotations': (objects) => {
    for (const { spec } of workloadsOf(objects)) {
      const health = spec.template.spec?.containers[0]?.ports?.find(({ name }) => name === 'health');
      assert.deepEqual(spec.template.metadata?.annotations, {
        'prometheus.io/scrape': 'true',
        'prometheus.io/path': '/metrics',
        'prometheus.io/port': String(health?.containerPort),
      });
    }
  },
  'ram-role': (objects) => {
    assert.equal(podOf(objects, 'controller').hostNetwork, true);
  },
  'self-managed-certificates': (objects) => {
    assert.ok(argsOf(objects, 'controller').includes('--self-managed-certificates'));
    assert.ok(named(objects, 'Role', 'portcullis-controller-certificates') !== undefined);
    assert.doesNotMatch(JSON.stringify(objects), /cert-manager/);
  },
  [TAKES_AWAY]: (objects) => {
    assert.deepEqual(
      objects.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'webhook'),
      [],
    );
    assert.doesNotMatch(JSON.stringify(objects), /certificate-injector/, 'cert-manager has nothing to inject');
    const certificates = argsOf(objects, 'controller').filter((arg) => arg.startsWith('--self-managed-certificates'));
    assert.equal(certificates.at(-1), '--self-managed-certificates=false', 'no certificate is needed');
    const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    assert.equal(policies.filter(({ metadata }) => metadata.name.startsWith('portcullis-annotation-')).length, 3);
    assert.ok(policies.length <= MOST_POLICIES, 'the API server compiles and runs each of them');
    const action = argsOf(objects, 'controller').includes('--warn-only') ? 'Warn' : 'Deny';
    for (const [name, actions] of actionsOf(objects)) {
      const isTunable = name.startsWith('portcullis-annotation-');
      assert.deepEqual(actions, [isTunable ? action : 'Deny'], 'only tunable policies warn');
    }
    const alerts = groupsOf(objects).map(({ name }) => name);
    assert.deepEqual(alerts, alerts.length === 0 ? [] : ['portcullis-policy', 'portcullis-controller']);
  },
  rrsa: (objects) => {
    const [container] = podOf(objects, 'controller').containers ?? [];
    const variables = new Map(container?.env?.map(({ name, value }) => [name, value]));
    const file = variables.get('ALIBABA_CLOUD_OIDC_TOKEN_FILE') ?? '';
    assert.ok(container?.volumeMounts?.some(({ mountPath }) => file === `${mountPath}/token`));
    assert.ok(variables.has('ALIBABA_CLOUD_ROLE_ARN') && variables.has('ALIBABA_CLOUD_OIDC_PROVIDER_ARN'));
  },
};

/** Users combine components. Each component and each pair must give valid objects. */
describe('the components', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let plane: TestControlPlane;
  let started: TestControlPlane | undefined;
  let kustomize = '';
  let base: readonly Manifest[] = [];
  let count = 0;

  const compose = (composition: Composition): string => {
    count += 1;
    return composed(join(folder.path, String(count)), composition);
  };
  const rendered = new Map<string, readonly Manifest[]>();
  const objectsOf = async (composition: Composition): Promise<readonly Manifest[]> => {
    const key = JSON.stringify(composition);
    const objects = rendered.get(key) ?? parseManifests(await render(kustomize, compose(composition)));
    rendered.set(key, objects);
    return objects;
  };
  // The API server checks each object alone, so an object that it has accepted is not sent again.
  const known = new Set<string>();
  const accepted = async (objects: readonly Manifest[]): Promise<void> => {
    const items = objects.filter((object) => !known.has(JSON.stringify(object)));
    if (items.length === 0) return;
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const flags = ['--server-side', '--dry-run=server', '--validate=strict'];
    const { code, stdout, stderr } = await plane.kubectlWith(list, 'apply', '-f', '-', ...flags);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.equal(stdout.trim().split('\n').length, items.length);
    for (const item of items) known.add(JSON.stringify(item));
  };

  before(async () => {
    const tools = await obtainTools(['kustomize', 'cert-manager-crds.json'], { env: process.env, progress: silent });
    kustomize = tools.kustomize;
    base = await objectsOf({});
    started = await borrowControlPlane();
    plane = started;
    await installCertManagerKinds(plane.client, tools['cert-manager-crds.json'], AbortSignal.timeout(30_000));
    for (const kind of PROMETHEUS_KINDS) await plane.kubectlWith(JSON.stringify(kind), 'create', '-f', '-');
    await plane.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
    await plane.kubectl('create', 'namespace', 'portcullis-system');
  });
  after(async () => {
    await started?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  for (const component of COMPONENTS) {
    it(`${component} has its documented objects, and the API server accepts them`, async () => {
      const brings = BRINGS[component];
      assert.ok(brings !== undefined, 'BRINGS has no check for this component');
      assert.throws(() => brings(base), 'the base alone fails the check');
      const objects = await objectsOf({ components: [component] });
      brings(objects);
      await accepted(objects);
    });
  }

  it('prometheus links to runbooks at another address, as its page describes', async () => {
    const page = readFileSync(join(root, 'docs/reference/metrics-and-alerts.md'), 'utf8');
    const [, block = ''] = /^## Install the alerts$[^]*?^```yaml\n([^]*?)^```$/m.exec(page) ?? [];
    const own = compose({ components: ['prometheus'], own: parse(block) as object });
    const objects = parseManifests(await render(kustomize, own));
    const links = runbooksOf(objects);
    assert.ok(links.length > 20);
    for (const link of links)
      assert.match(link, /^https:\/\/docs\.example\.com\/portcullis\/reference\/metrics-and-alerts\.html#\w+$/);
    assert.equal(named(objects, 'ConfigMap', 'portcullis-documentation'), undefined);
    assert.equal(await plane.kubectl('kustomize', own), await render(kustomize, own));
  });

  for (const [one, other] of PAIRS) {
    it(`${one} and ${other} can be combined`, async () => {
      const objects = await objectsOf({ components: [one, other] });
      if (other !== TAKES_AWAY && TAKES_PLACE[other] !== one) BRINGS[one]?.(objects);
      BRINGS[other]?.(objects);
    });
  }

  for (const overlay of OVERLAYS) {
    it(`the other components can be added to the overlay ${overlay}`, async () => {
      const within = WITHIN[overlay] ?? IN_ALL;
      const components = COMPONENTS.filter((name) => !within.includes(name) && name !== TAKES_AWAY);
      const own = compose({ overlay, components });
      const text = await render(kustomize, own);
      assert.equal(await plane.kubectl('kustomize', own), text);
      await accepted(parseManifests(text));
    });

    it(`without-webhook can be added to the overlay ${overlay}, after all other components`, async () => {
      const within = WITHIN[overlay] ?? IN_ALL;
      const others = COMPONENTS.filter((name) => !within.includes(name) && name !== TAKES_AWAY);
      for (const components of [[TAKES_AWAY], [...others, TAKES_AWAY]]) {
        const objects = await objectsOf({ overlay, components });
        BRINGS[TAKES_AWAY]?.(objects);
        await accepted(objects);
      }
    });
  }

  it('contain kinds outside Kubernetes only if a component is named after their owner', async () => {
    const foreign = new Map<string, readonly string[]>();
    for (const component of COMPONENTS) {
      const groups = (await objectsOf({ components: [component] })).map(({ apiVersion }) => apiVersion.split('/')[0]);
      const custom = [...new Set(groups)].filter(
        (group = '') => /\.(io|com)$/.test(group) && !group.endsWith('k8s.io'),
      );
      if (custom.length > 0) foreign.set(component, custom.map(String));
    }
    assert.deepEqual(
      foreign,
      new Map([
        ['cert-manager', ['cert-manager.io']],
        ['prometheus', ['monitoring.coreos.com']],
      ]),
    );
  });
});
