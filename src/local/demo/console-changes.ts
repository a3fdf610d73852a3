import type { Demo } from './demo-step.ts';

/** Creates or deletes resources in the simulator, like a user in the console of the cloud. Prints the equivalent `curl` command. */
export async function atConsole({ narrator, cloud }: Demo, resources: object): Promise<void> {
  narrator.command(`curl -s "$SIMULATOR_URL/_simulator/seed" -d '${JSON.stringify(resources)}'`);
  narrator.output(JSON.stringify(await cloud.seed(resources)));
}
