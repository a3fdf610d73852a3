import { systemClock } from '../../base/clock.ts';
import type { ApiClient } from '../api-client.ts';
import type { Sandbox } from '../sandbox-handle.ts';
import { createCloud } from './simulator-client.ts';
import type { Demo } from './demo-step.ts';
import { createKubectl, createPortcullis } from './kubectl.ts';
import type { Narrator } from './narrator.ts';

/**
 * Returns the tools of the demo's steps, connected to a running sandbox. Runs once, between the start of the sandbox and the first step in the
 * sandbox.
 */
export function attachDemo(sandbox: Sandbox, api: ApiClient, narrator: Narrator, signal: AbortSignal): Demo {
  const { environment } = sandbox;
  return {
    narrator,
    signal,
    api,
    clock: systemClock,
    cloud: createCloud(environment['SIMULATOR_URL'] ?? '', signal),
    kubectl: createKubectl(environment, narrator, signal),
    portcullis: createPortcullis(environment, narrator, signal),
    killController: () => sandbox.killController(),
    stopController: () => sandbox.stop('controller'),
    startController: () => sandbox.startController(),
    killWebhook: () => sandbox.kill('webhook'),
    startWebhook: () =>
      narrator.during('the webhook starts', async () => {
        await sandbox.start('webhook', signal);
        await sandbox.ready('webhook', signal);
      }),
  };
}
