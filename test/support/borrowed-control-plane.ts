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

/**
 * The control planes that no test file uses at the moment. The next test file reuses one of them, because a start takes seconds of processor time.
 */
const idle: Shared[] = [];
let resets = 0;

/** Undefined in benchmarks, which start control planes without tests. */
const afterAllTests = Reflect.get(globalThis, 'after') as typeof after | undefined;
afterAllTests?.(async () => {
  for (const { plane } of idle) await plane[Symbol.asyncDispose]();
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

/** Returns a control plane that test files reuse. Its disposal restores the initial objects. For other flags, call `startControlPlane`. */
export async function borrowControlPlane(): Promise<TestControlPlane> {
  if (afterAllTests === undefined) return startControlPlane();
  const own = idle.pop() ?? (await startShared());
  const { plane } = own;
  const start = plane.auditLogSize();
  return {
    ...plane,
    auditLog: (from = 0) => plane.auditLog(start + from),
    [Symbol.asyncDispose]: async () => {
      if (await release(own)) idle.push(own);
    },
  };
}

/** Restores a borrowed control plane. If the control plane cannot be used again, stops it and returns false. */
async function release({ plane, restore }: Shared): Promise<boolean> {
  plane.reach(async () => undefined);
  await stopOthers(plane.folder);
  const admission = await admissionObjects(plane);
  if (admission.some(({ spec }) => spec?.paramKind !== undefined)) {
    // After the last policy with parameters is deleted, the API server does not read the parameters of new policies.
    await plane[Symbol.asyncDispose]();
    return false;
  }
  // kubectl caches the kinds of the API server, and a cached list may lack the kinds of the next test file.
  rmSync(join(plane.folder, 'kubectl-cache'), { recursive: true, force: true });
  await restore();
  if (admission.length > 0) {
    await untilEmpty(plane);
    await restore();
  }
  return true;
}

/** Stops the processes that tests started in the folder. */
async function stopOthers(folder: string): Promise<void> {
  const others = recordedProcesses(folder).filter(({ name }) => !OWN_PROCESSES.has(name));
  await Promise.all(others.map((other) => stopProcess(folder, other, 0)));
}

/** A webhook configuration, an admission policy or its binding. Only policies with parameters have a `paramKind`. */
interface AdmissionObject {
  readonly spec?: { readonly paramKind?: object };
}

async function admissionObjects({ client }: TestControlPlane): Promise<readonly AdmissionObject[]> {
  const lists = (await Promise.all(ADMISSION_KINDS.map((kind) => client.get(`${ADMISSION}/${kind}`)))) as {
    readonly items: readonly AdmissionObject[];
  }[];
  return lists.flatMap(({ items }) => items);
}

/** Waits until new objects of each kind take effect, because the API server has then also observed the deletion of earlier objects. */
async function untilEmpty(plane: TestControlPlane): Promise<void> {
  resets += 1;
  const name = `reset-${resets}`;
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
