import { command } from '../../webhook/command.ts';

/** A webhook with the shipped caches and a constant response. The comparison with the shipped webhook gives the cost of the decision. */
const decide = () => ({ allowed: true });

await command(() => ({ mutate: decide, validate: decide })).parseAsync(process.argv);
