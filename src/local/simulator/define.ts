import { CloudError } from './error.ts';
import type { Rate } from './settings.ts';
import type { Operation } from './operation.ts';

type Definition = Omit<Operation, 'kind' | 'rate'> & Partial<Pick<Operation, 'rate'>>;

/** Every operation that is told a region checks it: this cloud has one. */
const inRegion =
  (handle: Operation['handle']): Operation['handle'] =>
  (args, context) => {
    const region = args.optional('RegionId');
    if (region !== undefined && region !== '' && region !== context.world.regionId) {
      throw new CloudError('InvalidRegionId.NotFound', `The region "${region.slice(0, 60)}" does not exist.`);
    }
    return handle(args, context);
  };

/** Makers of one product's operations, with its usual rates. */
export function operationsOf(rates: { readonly reads: Rate; readonly writes: Rate }): {
  readonly read: (definition: Definition) => Operation;
  readonly write: (definition: Definition) => Operation;
} {
  const maker =
    (kind: Operation['kind'], rate: Rate) =>
    (definition: Definition): Operation => ({ kind, rate, ...definition, handle: inRegion(definition.handle) });
  return { read: maker('read', rates.reads), write: maker('write', rates.writes) };
}
