import { CloudError } from './error.ts';
import type { SimulatedRate } from './settings.ts';
import type { SimulatedOperation } from './operation.ts';

type Definition = Omit<SimulatedOperation, 'kind' | 'rate'> & Partial<Pick<SimulatedOperation, 'rate'>>;

/** Adds a check of the parameter `RegionId` to an operation, because the simulated cloud has only one region. */
const inRegion =
  (handle: SimulatedOperation['handle']): SimulatedOperation['handle'] =>
  (args, context) => {
    const region = args.optional('RegionId');
    if (region !== undefined && region !== '' && region !== context.world.regionId) {
      throw new CloudError('InvalidRegionId.NotFound', `The region "${region.slice(0, 60)}" does not exist.`);
    }
    return handle(args, context);
  };

/** Returns two functions, which define the reading and the writing operations of a product. `rates` are the default rate limits of the product. */
export function operationsOf(rates: { readonly reads: SimulatedRate; readonly writes: SimulatedRate }): {
  readonly read: (definition: Definition) => SimulatedOperation;
  readonly write: (definition: Definition) => SimulatedOperation;
} {
  const maker =
    (kind: SimulatedOperation['kind'], rate: SimulatedRate) =>
    (definition: Definition): SimulatedOperation => ({
      kind,
      rate,
      ...definition,
      handle: inRegion(definition.handle),
    });
  return { read: maker('read', rates.reads), write: maker('write', rates.writes) };
}
