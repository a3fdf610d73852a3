import type { Node } from '../../src/base/kubernetes-objects.ts';

interface NodeOverrides {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Node['spec'];
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** Returns a ready Node whose provider ID is the instance `i-<name>`. */
export const aNode = (name: string, over: NodeOverrides = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1', labels: { ...over.labels } },
  spec: { providerID: `cn-hangzhou.i-${name}`, ...over.spec },
  status: { conditions: over.conditions ?? [{ type: 'Ready', status: over.ready ?? 'True' }] },
});
