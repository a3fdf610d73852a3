import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NETWORK } from '../../../src/local/control-plane.ts';
import { freePorts } from '../../../src/local/ports.ts';
import { cloudConfig, MACHINES, nodeObject } from '../../../src/local/seed.ts';
import type { Lease, Node } from '../../../src/base/kubernetes-objects.ts';
import { follow } from '../../support/deployed.ts';
import { shellIn, stepsOf, type Shell, type Step } from '../../support/documented.ts';
import { answered } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { root } from '../../support/manifests.ts';
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { uninstall } from '../../support/uninstall.ts';

/** The pages whose commands are executed. Pages of one list follow each other in one shell and one folder. */
const SEQUENCES = [
  ['tasks/install', 'tasks/configure-credentials', 'tasks/run-without-webhook', 'tasks/upgrade', 'tasks/uninstall'],
  ['tasks/self-managed-cluster'],
] as const;

/** Returns whether a step writes a file of a machine. The sandbox has no machines, so the test skips the step. */
const isOfMachines = ({ path }: Step): boolean =>
  ['kubeadm.yaml', 'join.yaml'].includes(path) || path.startsWith('/etc/');
const REMOVAL = 'kubectl delete validatingwebhookconfiguration';
const WITHOUT_WEBHOOK = 'kubectl apply -k without';
const WITH_WEBHOOK =
  'kubectl apply -k mine\nkubectl -n portcullis-system rollout status deployment/portcullis-webhook --timeout=2m\nkubectl delete';
const TRIED = 'kubectl create service loadbalancer nowhere';
const OUTSIDE = 'portcullis controller --kubeconfig';
/** The objects with the project's label, in all namespaces. */
const OURS = [
  ...['namespaces', 'customresourcedefinitions', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
  ...['deployments', 'daemonsets', 'pods', 'services', 'serviceaccounts', 'poddisruptionbudgets', 'networkpolicies'],
  ...['certificates', 'issuers', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
].join(',');

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

const stepsIn = (page: string): readonly Step[] =>
  stepsOf(join(root, `docs/${page}.md`)).filter((step) => !isOfMachines(step));

/** Returns the steps of all pages, each with the title of its test. */
const titledStepsIn = (pages: readonly string[]): readonly (readonly [title: string, step: Step])[] =>
  pages.flatMap((page) =>
    stepsIn(page).map((step) => {
      const [line = ''] = step.text.trim().split('\n');
      return [`${page}, ${step.heading}: ${line}`, step] as const;
    }),
  );

/**
 * Prepares the machines. The first belongs to the control plane. The last has just been registered by its kubelet, and no controller has reconciled
 * it.
 */
async function setUp({ kubectl, client }: TestSandbox): Promise<void> {
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

/** Runs the commands of the installation pages, so that users can copy them. */
describe('the installation guide', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const resources = new AsyncDisposableStack();
  let sandbox: TestSandbox;
  let shell: Shell;
  let kept = '';

  const holder = async (): Promise<string> => {
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

  /** Fills in the parts that the page leaves to the user. */
  const fillIn = (): void => {
    const { ACCESS_KEY_ID: id = '', ACCESS_KEY_SECRET: secret = '' } = sandbox.record.environment;
    shell.write('mine/cloud-config.conf', cloudConfig());
    shell.write('access-key-id', id);
    shell.write('access-key-secret', secret);
  };

  /** Runs the command until it leads, and stops it. */
  const outside = async (text: string): Promise<void> => {
    const inside = await holder();
    const [port = 0] = await freePorts(1);
    const command = `exec ${text.replace(':10258', `:${port}`)}`;
    const process = spawn('bash', ['-c', command], { cwd: shell.folder(), env: sandbox.environment, stdio: 'ignore' });
    try {
      await answered(async () => {
        const [leader, health] = await Promise.all([holder(), fetch(`http://127.0.0.1:${port}/readyz`)]);
        return (leader !== '' && leader !== inside && health.ok) || undefined;
      }, 'the controller outside leads');
    } finally {
      process.kill('SIGTERM');
      await once(process, 'exit');
    }
  };

  /** Waits until the webhook and the API server have the same certificate, a moment after its issuance. */
  const inForce = (text: string): Promise<string> =>
    answered(async () => {
      const printed = await shell.run(text);
      return printed.includes('denied, as it should be') ? printed : undefined;
    }, 'the webhook is in force');

  const follows = async ({ kind, path, text }: Step): Promise<string> => {
    if (text.startsWith(REMOVAL)) await keep();
    if (kind === 'write') shell.write(path, text.replace('172.16.0.0/16', NETWORK.pods));
    else if (text.startsWith(OUTSIDE)) await outside(text);
    else {
      const printed = await (text.startsWith(TRIED) ? inForce(text) : shell.run(text));
      if (text.includes('cp -r example mine')) fillIn();
      return printed;
    }
    return '';
  };

  /** Checks every visible effect on the third machine: it is initialised like the other machines, with a route. */
  const hasCome = async (): Promise<void> => {
    const name = MACHINES.at(-1)?.nodeName ?? '';
    await answered(async () => {
      const { spec, status } = (await sandbox.client.get(`/api/v1/nodes/${name}`)) as Node;
      const network = status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
      const isTainted = (spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED);
      return (network?.status === 'False' && !isTainted) || undefined;
    }, `${name} is initialised and routed`);
  };

  /** Syncs a Service with the controller that the next steps remove. The load balancer must stay. */
  const keep = async (): Promise<void> => {
    await sandbox.kubectl('-n', 'portcullis-system', 'scale', 'deployment/portcullis-controller', '--replicas=2');
    await sandbox.kubectl('create', 'service', 'loadbalancer', 'kept', '--tcp=80');
    const ingress = '.status.loadBalancer.ingress[0].ip';
    await sandbox.kubectl('wait', 'service/kept', `--for=jsonpath={${ingress}}`, '--timeout=2m');
    kept = await sandbox.kubectl('get', 'service', 'kept', '-o', `jsonpath={${ingress}}`);
  };
  const letGo = async (): Promise<void> => {
    const finalizers = await sandbox.kubectl('get', 'service', 'kept', '-o', 'jsonpath={.metadata.finalizers}');
    assert.equal(finalizers, '');
    await sandbox.kubectl('delete', 'service', 'kept');
    const { loadBalancers } = (await sandbox.simulator('state')) as { loadBalancers: readonly { address: string }[] };
    assert.ok(loadBalancers.some(({ address }) => address === kept));
  };

  const objectsOf = (selector: string): Promise<string> =>
    sandbox.kubectl(
      'get',
      OURS,
      '--all-namespaces',
      '-l',
      `app.kubernetes.io/name=portcullis${selector}`,
      '-o',
      'name',
    );

  /** Checks that an unusable Service is denied with a message that matches `words`. */
  const deniedBy = async (words: RegExp): Promise<void> => {
    const tried = stepsIn('tasks/install').find(({ text }) => text.startsWith(TRIED));
    await answered(
      async () => words.test(await shell.run(tried?.text ?? '')) || undefined,
      `it is denied as by ${words.source}`,
    );
  };

  /** The checks after steps. A check covers effects that the exit code of the commands does not show. */
  const SHOWN: Readonly<Record<string, (printed: string) => Promise<void>>> = {
    [TRIED]: async (printed) => {
      assert.match(printed, /^denied, as it should be$/m);
      assert.match(printed, /^The Service "nowhere" is invalid/m);
    },
    'kubectl apply -k mine\nkubectl -n portcullis-system rollout status deployment/portcullis-webhook --timeout=2m\nkubectl get nodes':
      hasCome,
    'kubectl get services --all-namespaces': letGo,
    [REMOVAL]: async () => assert.equal(await objectsOf(''), ''),
    [WITHOUT_WEBHOOK]: () => deniedBy(/'portcullis-annotation-values'.* Unsupported value: "nowhere": /),
    'kubectl -n portcullis-system delete certificates,issuers': async () => {
      assert.equal(await objectsOf(',app.kubernetes.io/component=webhook'), '');
      assert.doesNotMatch(await objectsOf(''), /certificate/);
    },
    [WITH_WEBHOOK]: () => deniedBy(/^The Service "nowhere" is invalid/m),
  };

  for (const pages of SEQUENCES) {
    describe(pages.join(', '), () => {
      before(async () => {
        shell = shellIn(folder.path, sandbox.environment);
        rmSync(join(folder.path, 'kustomize/mine'), { recursive: true, force: true });
        if (pages[0] === 'tasks/self-managed-cluster') await setUp(sandbox);
      });
      for (const [title, step] of titledStepsIn(pages)) {
        it(title, async () => {
          const printed = await follows(step);
          for (const [beginning, shown] of Object.entries(SHOWN)) {
            if (step.text.startsWith(beginning)) await shown(printed);
          }
        });
      }
    });
  }
});
