import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NETWORK } from '../../../src/local/control-plane.ts';
import { freePorts } from '../../../src/local/free-ports.ts';
import { cloudConfig, MACHINES, nodeObject } from '../../../src/local/seed.ts';
import type { Lease, Node } from '../../../src/base/kubernetes-objects.ts';
import { follow } from '../../support/deployment-follower.ts';
import { shellIn, stepsOf, type Shell, type Step } from '../../support/documented-steps.ts';
import { answered } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { root } from '../../support/manifests.ts';
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { uninstall } from '../../support/remove-installation.ts';

/** The pages whose commands the tests run. All pages of a list run in order, in a common shell and folder. */
const SEQUENCES = [
  ['tasks/install', 'tasks/configure-credentials', 'tasks/run-without-webhook', 'tasks/upgrade', 'tasks/uninstall'],
  ['tasks/self-managed-cluster'],
] as const;

/** Returns whether a step writes a file on a machine. The tests skip such steps, because the sandbox has no machines. */
const writesMachineFile = ({ path }: Step): boolean =>
  ['kubeadm.yaml', 'join.yaml'].includes(path) || path.startsWith('/etc/');

// Each constant is the beginning of a step's commands, by which the tests recognize the step.
const UNINSTALL = 'kubectl delete validatingwebhookconfiguration';
const APPLY_WITHOUT_WEBHOOK = 'kubectl apply -k without';
const APPLY_WITH_WEBHOOK =
  'kubectl apply -k mine\nkubectl -n portcullis-system rollout status deployment/portcullis-webhook --timeout=2m\nkubectl delete';
const CREATE_INVALID_SERVICE = 'kubectl create service loadbalancer nowhere';
const RUN_OUTSIDE_CLUSTER = 'portcullis controller --kubeconfig';
/** The kinds of the installed objects, separated by commas for kubectl. */
const INSTALLED_KINDS = [
  ...['namespaces', 'customresourcedefinitions', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
  ...['deployments', 'daemonsets', 'pods', 'services', 'serviceaccounts', 'poddisruptionbudgets', 'networkpolicies'],
  ...['certificates', 'issuers', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
].join(',');

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

const stepsIn = (page: string): readonly Step[] =>
  stepsOf(join(root, `docs/${page}.md`)).filter((step) => !writesMachineFile(step));

/** Returns the steps of all pages, each with the title of its test. */
const titledStepsIn = (pages: readonly string[]): readonly (readonly [title: string, step: Step])[] =>
  pages.flatMap((page) =>
    stepsIn(page).map((step) => {
      const [line = ''] = step.text.trim().split('\n');
      return [`${page}, ${step.heading}: ${line}`, step] as const;
    }),
  );

/** Prepares two Nodes for the page about self-managed clusters: a Node of the control plane, and a Node that no controller has initialized. */
async function prepareNodes({ kubectl, client }: TestSandbox): Promise<void> {
  const [first, last] = [MACHINES[0], MACHINES.at(-1)];
  assert.ok(first !== undefined && last !== undefined);
  await kubectl('label', 'node', first.nodeName, 'node-role.kubernetes.io/control-plane=');
  await kubectl('delete', 'node', last.nodeName);
  const registered = nodeObject(last) as { readonly metadata: object; readonly spec: object };
  const { podCidr, nodeName, address } = last;
  await client.create('/api/v1/nodes', {
    ...registered,
    metadata: {
      name: nodeName,
      labels: { type: 'kwok', 'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux' },
      annotations: { 'kwok.x-k8s.io/node': 'fake', 'alpha.kubernetes.io/provided-node-ip': address },
    },
    spec: {
      podCIDR: podCidr,
      podCIDRs: [podCidr],
      taints: [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }],
    },
  });
}

/** Runs the commands of the installation pages. Without these tests, users could copy commands that fail. */
describe('the installation guide', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const resources = new AsyncDisposableStack();
  let sandbox: TestSandbox;
  let shell: Shell;
  let keptAddress = '';

  const leader = async (): Promise<string> => {
    const lease = await sandbox.client.get('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm');
    return (lease as Lease).spec?.holderIdentity ?? '';
  };

  before(async () => {
    sandbox = resources.use(await startSandbox({ without: ['webhook', 'controller'] }));
    for (const part of ['kustomize', 'manifests']) {
      cpSync(join(root, part), join(folder.path, part), { recursive: true });
    }
    await uninstall(sandbox);
    resources.use(follow(sandbox));
  });
  after(async () => {
    await resources.disposeAsync();
    folder[Symbol.dispose]();
  });

  /** Writes the files whose content users choose: the cloud config and the access key. */
  const writeUserFiles = (): void => {
    const { ACCESS_KEY_ID: id = '', ACCESS_KEY_SECRET: secret = '' } = sandbox.record.environment;
    shell.write('mine/cloud-config.conf', cloudConfig());
    shell.write('access-key-id', id);
    shell.write('access-key-secret', secret);
  };

  /** Starts the controller outside the cluster. Stops it as soon as it is the leader and ready. */
  const runOutsideCluster = async (text: string): Promise<void> => {
    const previous = await leader();
    const [port = 0] = await freePorts(1);
    const command = `exec ${text.replace(':10258', `:${port}`)}`;
    const process = spawn('bash', ['-c', command], { cwd: shell.folder(), env: sandbox.environment, stdio: 'ignore' });
    try {
      await answered(async () => {
        const [current, health] = await Promise.all([leader(), fetch(`http://127.0.0.1:${port}/readyz`)]);
        return (current !== '' && current !== previous && health.ok) || undefined;
      }, 'the controller outside the cluster leads');
    } finally {
      process.kill('SIGTERM');
      await once(process, 'exit');
    }
  };

  /** Repeats the command until the webhook denies the Service. A new certificate takes a moment to reach the API server. */
  const runUntilDenied = (text: string): Promise<string> =>
    answered(async () => {
      const printed = await shell.run(text);
      return printed.includes('denied, as it should be') ? printed : undefined;
    }, 'the webhook denies the Service');

  /** Runs the commands or writes the file of a step. Returns the output. */
  const runStep = async ({ kind, path, text }: Step): Promise<string> => {
    if (text.startsWith(UNINSTALL)) await syncKeptService();
    if (kind === 'write') shell.write(path, text.replace('172.16.0.0/16', NETWORK.pods));
    else if (text.startsWith(RUN_OUTSIDE_CLUSTER)) await runOutsideCluster(text);
    else {
      const printed = await (text.startsWith(CREATE_INVALID_SERVICE) ? runUntilDenied(text) : shell.run(text));
      if (text.includes('cp -r example mine')) writeUserFiles();
      return printed;
    }
    return '';
  };

  /** Checks that the controller initializes the new Node and creates its route. */
  const assertNodeReady = async (): Promise<void> => {
    const name = MACHINES.at(-1)?.nodeName ?? '';
    await answered(async () => {
      const { spec, status } = (await sandbox.client.get(`/api/v1/nodes/${name}`)) as Node;
      const network = status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
      const isTainted = (spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED);
      return (network?.status === 'False' && !isTainted) || undefined;
    }, `${name} is initialized and has a route`);
  };

  /** Creates a Service with a load balancer before the uninstallation, and records the address of the load balancer. */
  const syncKeptService = async (): Promise<void> => {
    await sandbox.kubectl('-n', 'portcullis-system', 'scale', 'deployment/portcullis-controller', '--replicas=2');
    await sandbox.kubectl('create', 'service', 'loadbalancer', 'kept', '--tcp=80');
    const ingress = '.status.loadBalancer.ingress[0].ip';
    await sandbox.kubectl('wait', 'service/kept', `--for=jsonpath={${ingress}}`, '--timeout=2m');
    keptAddress = await sandbox.kubectl('get', 'service', 'kept', '-o', `jsonpath={${ingress}}`);
  };

  /** Checks that a Service can be deleted after the uninstallation, and that its load balancer stays. */
  const assertLoadBalancerStays = async (): Promise<void> => {
    const finalizers = await sandbox.kubectl('get', 'service', 'kept', '-o', 'jsonpath={.metadata.finalizers}');
    assert.equal(finalizers, '');
    await sandbox.kubectl('delete', 'service', 'kept');
    const { loadBalancers } = (await sandbox.simulator('state')) as { loadBalancers: readonly { address: string }[] };
    assert.ok(loadBalancers.some(({ address }) => address === keptAddress));
  };

  /** Returns the names of the installed objects with the labels. */
  const objectsWith = (selector: string): Promise<string> =>
    sandbox.kubectl(
      'get',
      INSTALLED_KINDS,
      '--all-namespaces',
      '-l',
      `app.kubernetes.io/name=portcullis${selector}`,
      '-o',
      'name',
    );

  /** Checks that the API server denies the invalid Service of the page `install`, with a message that matches `words`. */
  const assertDenied = async (words: RegExp): Promise<void> => {
    const step = stepsIn('tasks/install').find(({ text }) => text.startsWith(CREATE_INVALID_SERVICE));
    await answered(
      async () => words.test(await shell.run(step?.text ?? '')) || undefined,
      `the denial matches ${words.source}`,
    );
  };

  /** The checks after some steps, by the beginning of their commands. Each checks effects that the exit code does not show. */
  const CHECKS: Readonly<Record<string, (printed: string) => Promise<void>>> = {
    [CREATE_INVALID_SERVICE]: async (printed) => {
      assert.match(printed, /^denied, as it should be$/m);
      assert.match(printed, /^The Service "nowhere" is invalid/m);
    },
    'kubectl apply -k mine\nkubectl -n portcullis-system rollout status deployment/portcullis-webhook --timeout=2m\nkubectl get nodes':
      assertNodeReady,
    'kubectl get services --all-namespaces': assertLoadBalancerStays,
    [UNINSTALL]: async () => assert.equal(await objectsWith(''), ''),
    [APPLY_WITHOUT_WEBHOOK]: () => assertDenied(/'portcullis-annotation-values'.* Unsupported value: "nowhere": /),
    'kubectl -n portcullis-system delete certificates,issuers': async () => {
      assert.equal(await objectsWith(',app.kubernetes.io/component=webhook'), '');
      assert.doesNotMatch(await objectsWith(''), /certificate/);
    },
    [APPLY_WITH_WEBHOOK]: () => assertDenied(/^The Service "nowhere" is invalid/m),
  };

  for (const pages of SEQUENCES) {
    describe(pages.join(', '), () => {
      before(async () => {
        shell = shellIn(folder.path, sandbox.environment);
        rmSync(join(folder.path, 'kustomize/mine'), { recursive: true, force: true });
        if (pages[0] === 'tasks/self-managed-cluster') await prepareNodes(sandbox);
      });
      for (const [title, step] of titledStepsIn(pages)) {
        it(title, async () => {
          const printed = await runStep(step);
          for (const [beginning, check] of Object.entries(CHECKS)) {
            if (step.text.startsWith(beginning)) await check(printed);
          }
        });
      }
    });
  }
});
