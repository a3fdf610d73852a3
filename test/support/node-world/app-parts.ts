import type { AppParts } from '../../../src/process/app.ts';
import type { EventRecorder, KubernetesWriter } from '../../../src/controller/kubernetes-interface.ts';
import type { Cache } from '../../../src/kubernetes/cache.ts';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { settingsOf, type ControllerInput } from '../controller-settings.ts';
import { watchedDouble } from '../watched-cache.ts';

export interface NodeSide {
  readonly nodes: Cache<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
}

/** Returns the dependencies of a controller with this configuration, for `World`. All caches except the cache of Nodes are empty. */
export const appParts = (
  base: Pick<AppParts, 'cloud' | 'registry' | 'log' | 'clock'>,
  side: NodeSide,
  input: ControllerInput,
): AppParts => ({
  ...base,
  ...settingsOf(input),
  kubernetes: {
    services: watchedDouble(),
    endpointSlices: watchedDouble(),
    pods: watchedDouble(),
    classicLoadBalancers: watchedDouble(),
    bindings: watchedDouble(),
    cloudInventories: watchedDouble(),
    ...side,
    recorder: () => side.events,
  },
  random: () => 0.5,
});
