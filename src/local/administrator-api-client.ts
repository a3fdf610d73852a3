import { readFileSync } from 'node:fs';
import { apiClient, type ApiClient } from './api-client.ts';
import type { Credential } from './pki.ts';
import { kubeletCredentialFile } from './sandbox-files.ts';
import type { SandboxRecord } from './sandbox-record.ts';

/** Returns an API client with administrator rights for a running sandbox. The kubelet, the demo and `make webhook` use the client, for example. */
export const administratorOf = ({ folder, address }: Pick<SandboxRecord, 'folder' | 'address'>): ApiClient =>
  apiClient(address, JSON.parse(readFileSync(kubeletCredentialFile(folder), 'utf8')) as Credential);
