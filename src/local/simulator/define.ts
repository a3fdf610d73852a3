import { CloudError } from './error.ts';
import type { Rate } from './settings.ts';
import type { Operation } from './operation.ts';

type Definition = Omit<Operation, 'kind' | 'rate'> & Partial<Pick<Operation, 'rate'>>;

/** Wraps an operation to check its region parameter. The simulated cloud has one region. */
const inRegion =
  (handle: Operation['handle']): Operation['handle'] =>
  (args, context) => {
    const region = args.optional('RegionId');
    if (region !== undefined && region !== '' && region !== context.world.regionId) {
      throw new CloudError('InvalidRegionId.NotFound', `The region "${region.slice(0, 60)}" does not exist.`);
    }
    return handle(args, context);
  };

/** Returns constructors of a product's operations, with the product's usual rates. */
export function operationsOf(rates: { readonly reads: Rate; readonly writes: Rate }): {
  readonly read: (definition: Definition) => Operation;
  readonly write: (definition: Definition) => Operation;
} {
  const maker =
    (kind: Operation['kind'], rate: Rate) =>
    (definition: Definition): Operation => ({ kind, rate, ...definition, handle: inRegion(definition.handle) });
  return { read: maker('read', rates.reads), write: maker('write', rates.writes) };
}
