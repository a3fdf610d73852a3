import { command } from '../../webhook/command.ts';

/** A webhook with the shipped caches and a constant response, which serving.ts starts. The shipped webhook costs more by its decisions alone. */
const decide = () => ({ allowed: true });

await command(() => ({ mutate: decide, validate: decide })).parseAsync(process.argv);
