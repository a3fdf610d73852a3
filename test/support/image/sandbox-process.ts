import { readFileSync } from 'node:fs';
import { launchFile } from '../../../src/local/kubelet/launch-spec.ts';
import { startProcess, type ManagedProcess, type ProcessSpec } from '../../../src/local/process.ts';
import type { SandboxPart } from '../../../src/local/sandbox-record.ts';
import type { Sandbox } from '../../../src/local/sandbox-handle.ts';
import { eventually } from '../eventually.ts';
import { inContainer, type Container } from './container.ts';

/** Starts a part of a sandbox from an unpacked image, with the arguments and variables of its Deployment. */
export async function startInImage(
  { folder }: Sandbox,
  part: SandboxPart,
  container: Container,
): Promise<ManagedProcess> {
  const launch = await eventually(
    async () => JSON.parse(readFileSync(launchFile(folder, part), 'utf8')) as ProcessSpec,
  );
  // The first argument is the program of this machine, in place of the image's.
  const words = [...container.config.Entrypoint, ...launch.args.slice(1)];
  // The sandbox's kubelet puts the volumes into the mounted folder.
  const { command, args, env } = inContainer(container, words, [folder]);
  return startProcess(folder, { name: part, command, args, env: { ...env, ...launch.env } });
}
