import type { Demo } from './demo.ts';

/** Creates or deletes resources in the simulator, as a user does in the cloud's console. Prints the equivalent `curl` command. */
export async function atConsole({ narrator, cloud }: Demo, things: object): Promise<void> {
  narrator.command(`curl -s "$SIMULATOR_URL/_simulator/seed" -d '${JSON.stringify(things)}'`);
  narrator.output(JSON.stringify(await cloud.seed(things)));
}
