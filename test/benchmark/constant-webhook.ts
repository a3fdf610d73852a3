import { command } from '../../webhook/command.ts';

/** A webhook with the shipped caches and a constant response, which serving.ts starts. A comparison shows the cost of the shipped decisions. */
const decide = () => ({ allowed: true });

await command(() => ({ mutate: decide, validate: decide })).parseAsync(process.argv);
