import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { recordedProcesses, stopProcess } from '../../src/local/process.ts';
import { canaryHook, canaryPolicy, untilRejected } from './canary.ts';
import { answered } from './eventually.ts';
import { startControlPlane, type TestControlPlane } from './control-plane.ts';

const OWN_PROCESSES = new Set(['etcd', 'kube-apiserver']);
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const ADMISSION_KINDS = [
  ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
];

interface Shared {
  readonly plane: TestControlPlane;
  readonly restore: () => Promise<void>;
}

/** The control plane of this process. A start takes seconds of processor time, and one process runs many test files. */
let shared: Promise<Shared> | undefined;
let isBorrowed = false;
let resets = 0;

/** Undefined in benchmarks, which start control planes without tests. */
const afterAllTests = Reflect.get(globalThis, 'after') as typeof after | undefined;
afterAllTests?.(async () => {
  await (await shared)?.plane[Symbol.asyncDispose]();
});

/** Objects that the API server creates after it is ready. */
const CREATED_LATE = [
  '/api/v1/namespaces/default/services/kubernetes',
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
  '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
  '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
  '/api/v1/namespaces/kube-node-lease',
];

async function startShared(): Promise<Shared> {
  const plane = await startControlPlane();
  for (const path of CREATED_LATE) await answered(() => plane.client.find(path), `the API server creates ${path}`);
  return { plane, restore: await plane.snapshot() };
}

/**
 * Returns a control plane that the test files of this process use one after the other. Its disposal restores the objects of a new control plane. A test
 * file that changes flags, or needs two control planes, calls `startControlPlane`.
 */
export async function borrowControlPlane(): Promise<TestControlPlane> {
  if (afterAllTests === undefined) return startControlPlane();
  assert.ok(!isBorrowed, 'the control plane is borrowed, and was not disposed of');
  isBorrowed = true;
  shared ??= startShared();
  const own = await shared;
  const { plane } = own;
  const start = plane.auditLogSize();
  return {
    ...plane,
    auditLog: (from = 0) => plane.auditLog(start + from),
    [Symbol.asyncDispose]: async () => {
      // A control plane that cannot be restored is not used again.
      shared = undefined;
      isBorrowed = false;
      if (await release(own)) shared = Promise.resolve(own);
    },
  };
}

/** Restores a borrowed control plane. Returns false if it cannot be used again, and stops it. */
async function release({ plane, restore }: Shared): Promise<boolean> {
  plane.reach(async () => undefined);
  await stopOthers(plane.folder);
  const policies = await policiesOf(plane);
  if (policies.some(({ spec }) => spec.paramKind !== undefined)) {
    // After the last policy with parameters is deleted, the API server does not read the parameters of new policies.
    await plane[Symbol.asyncDispose]();
    return false;
  }
  await reset(plane, restore);
  return true;
}

/** Stops the processes that tests started in the folder. */
async function stopOthers(folder: string): Promise<void> {
  const others = recordedProcesses(folder).filter(({ name }) => !OWN_PROCESSES.has(name));
  await Promise.all(others.map((other) => stopProcess(folder, other, 0)));
}

/** Restores the objects, and waits until the API server calls no webhook and evaluates no policy of the last test file. */
async function reset(plane: TestControlPlane, restore: () => Promise<void>): Promise<void> {
  // kubectl caches the kinds of the API server, and a cached list may lack the kinds of the next test file.
  rmSync(join(plane.folder, 'kubectl-cache'), { recursive: true, force: true });
  const hadAdmission = await hasAdmissionObjects(plane);
  await restore();
  if (!hadAdmission) return;
  resets += 1;
  await untilEmpty(plane, `reset-${resets}`);
  await restore();
}

interface AdmissionPolicy {
  readonly spec: { readonly paramKind?: object };
}

async function policiesOf({ client }: TestControlPlane): Promise<readonly AdmissionPolicy[]> {
  const { items } = (await client.get(`${ADMISSION}/validatingadmissionpolicies`)) as {
    readonly items: readonly AdmissionPolicy[];
  };
  return items;
}

async function hasAdmissionObjects({ client }: TestControlPlane): Promise<boolean> {
  const lists = (await Promise.all(ADMISSION_KINDS.map((kind) => client.get(`${ADMISSION}/${kind}`)))) as {
    readonly items: readonly object[];
  }[];
  return lists.some(({ items }) => items.length > 0);
}

/** Creates an object of each kind, and waits until all are in force. The API server then has also seen the deletion of earlier objects. */
async function untilEmpty(plane: TestControlPlane, name: string): Promise<void> {
  const create = (kind: string, object: object): Promise<unknown> =>
    plane.client.create(`${ADMISSION}/${kind}`, { metadata: { name }, ...object });
  const hook = (configMap: string): object => ({ webhooks: [canaryHook(`${name}.${configMap}.test`, configMap)] });
  await create('mutatingwebhookconfigurations', hook('mutated'));
  await create('validatingwebhookconfigurations', hook('validated'));
  await create('validatingadmissionpolicies', { spec: canaryPolicy(name, 'evaluated') });
  await create('validatingadmissionpolicybindings', { spec: { policyName: name, validationActions: ['Deny'] } });
  await untilRejected(plane, 'mutated', name);
  await untilRejected(plane, 'validated', name);
  await untilRejected(plane, 'evaluated', name);
}
