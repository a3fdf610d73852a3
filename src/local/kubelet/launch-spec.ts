import { join } from 'node:path';
import type { ProcessSpec } from '../process.ts';
import type { SandboxPart } from '../sandbox-record.ts';
import type { Container } from './container-of-deployment.ts';
import { expand, resolveEnvironment, type ValueSource } from './environment-variables.ts';
import { relocate } from './mount-paths.ts';

/** The properties of this machine that replace the image and the network namespace of a pod. */
export interface PodMachine {
  /** The folder of the pod. Its subfolder `volumes` has a folder for each volume. */
  readonly podFolder: string;
  /** The command of the image, for a container without a command. */
  readonly entrypoint: readonly string[];
  readonly kubeconfig: string;
  /** The ports on 127.0.0.1, by the name of the container port. Sandboxes share the machine, so each sandbox has its own ports. */
  readonly ports: Readonly<Record<string, number>>;
  /** The variables that point to the simulator. The variables of the container take precedence. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The flags that move each container port to a port on 127.0.0.1. */
export const PORT_FLAGS: Readonly<Record<SandboxPart, Readonly<Record<string, (port: number) => readonly string[]>>>> =
  {
    webhook: {
      https: (port) => ['--bind-address=127.0.0.1', `--port=${port}`],
      health: (port) => [`--health-probe-bind-addr=127.0.0.1:${port}`],
    },
    controller: {
      health: (port) => [`--health-probe-bind-addr=127.0.0.1:${port}`],
    },
  };

/** Returns the command line that runs a pod's container on this machine. Replaces the paths of mounts, the ports and the references to variables. */
export function launchSpec(
  part: SandboxPart,
  container: Container,
  source: ValueSource,
  machine: PodMachine,
): ProcessSpec {
  const declared = resolveEnvironment(container, source);
  const here = (text: string): string => relocate(expand(text, declared), container.mounts, machine.podFolder);
  const [command = '', ...words] = container.command.length > 0 ? container.command.map(here) : machine.entrypoint;
  const ports = Object.entries(PORT_FLAGS[part]).flatMap(([name, flag]) => {
    const port = machine.ports[name];
    return port === undefined ? [] : flag(port);
  });
  const env = Object.fromEntries(Object.entries(declared).map(([name, value]) => [name, here(value)]));
  return {
    name: part,
    command,
    // The port flags come last, because the last value of a flag takes effect.
    args: [...words, ...container.args.map(here), `--kubeconfig=${machine.kubeconfig}`, ...ports],
    env: { ...machine.environment, ...env },
  };
}

/** Returns the folder of a part's pod in a sandbox's folder. */
export const podFolder = (sandboxFolder: string, part: SandboxPart): string => join(sandboxFolder, 'pods', part);
/** Returns the path of the launch file, which contains the command line of a part. */
export const launchFile = (sandboxFolder: string, part: SandboxPart): string =>
  join(podFolder(sandboxFolder, part), 'launch.json');
/** Returns the path of the ServiceAccount token of a part. The kubelet renews the token, and the kubeconfig of the part names this path. */
export const tokenFile = (sandboxFolder: string, part: SandboxPart): string =>
  join(podFolder(sandboxFolder, part), 'token');
