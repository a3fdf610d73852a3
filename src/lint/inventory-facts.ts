import type { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { PortcullisError } from '../base/errors.ts';
import { FRESH_FOR_MS } from '../inventory/facts-from-caches.ts';
import { ClaimedGroups } from '../inventory/group-claims.ts';
import type { Facts, Freshness, PortHolder } from '../inventory/facts.ts';
import type { CloudInventoryStatus } from '../inventory/custom-resources.ts';
import { boundLoadBalancer, type BoundInventory } from '../inventory/serving-load-balancer.ts';
import { OWNER_INDEX, ownedByService } from '../inventory/load-balancers-by-owner.ts';
import { portsOfListeners, reusedLoadBalancer } from '../inventory/reuse-index.ts';
import { serviceOfOtherNamespace } from '../inventory/cross-namespace-use.ts';
import { keyOf, type ObjectKey, type Service } from '../base/kubernetes-objects.ts';
import { pathOf } from './field-path.ts';
import { readManifests, withoutFile, type Manifest } from './manifest.ts';
import { InventoryObject, InventoryLoadBalancer } from './inventory-shape.ts';
import { shaped } from './field-types.ts';
import type { Source } from './source.ts';
import { VERSION } from '../version.ts';

const COMMAND = 'kubectl get clb,cloudinventory -o yaml';
const isWanted = (apiVersion: string, kind: string): boolean =>
  apiVersion.startsWith('portcullis.io/')
    ? kind === 'ClassicLoadBalancer' || kind === 'CloudInventory'
    : apiVersion === 'v1' && kind === 'Service';

/** Throws an error about an invalid inventory object. */
type ThrowInvalid = (manifest: Manifest, path: string, what: string) => never;

function checked<Value>(shape: z.ZodType<Value>, manifest: Manifest, throwInvalid: ThrowInvalid): Value {
  const result = shape.safeParse(manifest.object);
  if (result.success) return result.data;
  const [{ path, message } = { path: [], message: '' }] = result.error.issues;
  return throwInvalid(manifest, pathOf(path), message);
}

/** The facts that rules look up, built from the objects of a file or of one read of a cluster. */
export interface FileFacts extends Facts {
  /** Adds a Service, whose listener ports and server groups count as used when later Services are evaluated. */
  add(service: Service): void;
}

/** Reads facts for `lint --facts` from a file. Throws `InvalidConfiguration` with the location of invalid content. */
export function fileFacts(source: Source, clock: Pick<Clock, 'now'>): FileFacts {
  const { manifests, unreadable } = readManifests(source.text, isWanted);
  const [broken] = unreadable;
  if (broken !== undefined) {
    const { line, column } = broken.range;
    throw new PortcullisError('InvalidConfiguration', `${source.name}:${line}:${column}: ${broken.what}`);
  }
  if (!manifests.some(({ kind }) => kind !== 'Service')) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `${source.name} contains no ClassicLoadBalancer and no CloudInventory: create the file with ${COMMAND}`,
    );
  }
  return factsAmong(manifests, clock, ({ kind, locate }, path, what) => {
    const { line, column } = locate(path);
    throw new PortcullisError(
      'InvalidConfiguration',
      `${source.name}:${line}:${column}: the ${kind} is invalid: ${path}: ${what}; create the file with ${COMMAND}`,
    );
  });
}

/** Builds facts from the inventory and the Services of a cluster, for `lint --facts cluster` and `policy impact`. */
export const clusterFacts = (objects: readonly { readonly kind: string }[], clock: Pick<Clock, 'now'>): FileFacts =>
  factsAmong(objects.map(withoutFile), clock, ({ kind }, path, what) => {
    throw new PortcullisError(
      'InvalidConfiguration',
      `a ${kind} of the cluster is invalid: ${path}: ${what}; check that the cluster runs Portcullis ${VERSION}`,
    );
  });

function factsAmong(manifests: readonly Manifest[], clock: Pick<Clock, 'now'>, throwInvalid: ThrowInvalid): FileFacts {
  const ofKind = (kind: string): readonly Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
  const loadBalancers = ofKind('ClassicLoadBalancer').map((each) => checked(InventoryLoadBalancer, each, throwInvalid));
  const inventories = ofKind('CloudInventory').map((each) => checked(InventoryObject, each, throwInvalid));
  const facts = createFileFacts(loadBalancers, inventories[0]?.status, clock);
  for (const manifest of ofKind('Service')) {
    const { object } = shaped(manifest);
    if (object !== undefined) facts.add(object as Service);
  }
  return facts;
}

/** Builds facts without an inventory, for commands without access to an inventory. The facts contain only the Services that are added later. */
export const noFacts = (): FileFacts => createFileFacts([], undefined, { now: () => 0 });

function createFileFacts(
  loadBalancers: readonly z.output<typeof InventoryLoadBalancer>[],
  inventory: CloudInventoryStatus | undefined,
  clock: Pick<Clock, 'now'>,
): FileFacts {
  const byId = new Map(loadBalancers.map(({ metadata, status }) => [metadata.name, status]));
  const indexEntries = Object.entries(OWNER_INDEX).flatMap(([index, read]) =>
    loadBalancers.flatMap((loadBalancer) =>
      read(loadBalancer).map((service) => ({ key: `${index} ${service}`, loadBalancer })),
    ),
  );
  const byKey = Map.groupBy(indexEntries, ({ key }) => key);
  const boundInventory: BoundInventory = {
    get: (id) => ({ status: byId.get(id) }),
    byIndex: (index, service) => (byKey.get(`${index} ${service}`) ?? []).map(({ loadBalancer }) => loadBalancer),
  };
  const claimed = new ClaimedGroups();
  const reusing = new Map<ObjectKey, string>();
  const holders = new Map<string, Map<ObjectKey, readonly PortHolder[]>>();
  return {
    cluster: () => inventory,
    freshness: (): Freshness => {
      if (inventory === undefined) return { kind: 'absent' };
      const ageMs = Math.max(clock.now() - Date.parse(inventory.observedAt), 0);
      return { kind: ageMs <= FRESH_FOR_MS ? 'fresh' : 'stale', ageMs };
    },
    loadBalancer: (id) => byId.get(id),
    ownedBy: (service) => ownedByService(boundInventory, service),
    boundTo: (service) => boundLoadBalancer(boundInventory, service, inventory?.vpcId ?? ''),
    sharedWith: (id, namespace) => serviceOfOtherNamespace(namespace, holders.get(id)?.keys() ?? [], byId.get(id)),
    portHolders: (id) => [...(holders.get(id)?.values() ?? [])].flat(),
    groupClaims: (id, group) => claimed.on(id, group),
    add: (service) => {
      claimed.add(service);
      const key = keyOf(service);
      holders.get(reusing.get(key) ?? '')?.delete(key);
      const id = reusedLoadBalancer(service);
      if (id === undefined) return;
      holders.set(
        id,
        (holders.get(id) ?? new Map<ObjectKey, readonly PortHolder[]>()).set(key, portsOfListeners(service)),
      );
      reusing.set(key, id);
    },
  };
}
