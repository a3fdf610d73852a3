import { command } from '../../webhook/command.ts';

/** The webhook as it is shipped, its caches included, with the same answer to all: what deciding costs is the difference. */
const decide = () => ({ allowed: true });

await command(() => ({ mutate: decide, validate: decide })).parseAsync(process.argv);
