import { command } from '../../webhook/command.ts';

/** The shipped webhook, including its caches, with one constant answer. The difference is the cost of the decision. */
const decide = () => ({ allowed: true });

await command(() => ({ mutate: decide, validate: decide })).parseAsync(process.argv);
