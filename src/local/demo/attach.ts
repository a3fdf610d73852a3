import { readFileSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import { apiClient, type ApiClient } from '../api-client.ts';
import type { Credential } from '../pki.ts';
import type { Sandbox } from '../sandbox.ts';
import { kubeletCredentialFile } from '../sandbox-files.ts';
import { createCloud } from './cloud.ts';
import type { Demo } from './demo.ts';
import { createKubectl, createPortcullis } from './kubectl.ts';
import type { Narrator } from './narrator.ts';

/** Returns the administrator's client of a sandbox. */
export const administratorOf = ({ folder, record }: Sandbox): ApiClient =>
  apiClient(record.address, JSON.parse(readFileSync(kubeletCredentialFile(folder), 'utf8')) as Credential);

/** Returns the tools of the steps for a running sandbox. */
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
