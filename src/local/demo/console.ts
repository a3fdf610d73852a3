import type { Demo } from './demo.ts';

/** Makes things in the cloud, or takes them away, as somebody does at its console; prints how a reader would. */
export async function atConsole({ narrator, cloud }: Demo, things: object): Promise<void> {
  narrator.command(`curl -s "$SIMULATOR_URL/_simulator/seed" -d '${JSON.stringify(things)}'`);
  narrator.output(JSON.stringify(await cloud.seed(things)));
}
