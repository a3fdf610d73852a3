import { join } from 'node:path';
import type { ProcessSpec } from '../process.ts';
import type { SandboxPart } from '../sandbox-record.ts';
import type { Container } from './container.ts';
import { expand, resolveEnvironment, type ValueSource } from './environment-variables.ts';
import { relocate } from './mounts.ts';

/** The replacement for the image and the network namespace of a pod. */
export interface PodMachine {
  /** The folder with volumes as `volumes/<name>`. */
  readonly podFolder: string;
  /** The command of the image, for a container without a command. */
  readonly entrypoint: readonly string[];
  readonly kubeconfig: string;
  /** The ports on 127.0.0.1 by the names of the container ports. Each sandbox has its own, because sandboxes share the machine. */
  readonly ports: Readonly<Record<string, number>>;
  /** The variables that point to the simulator. The container's own variables take precedence. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The flags that move each container port to a port on the loopback. The last value of a repeated flag counts. */
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

/** Returns the process that runs a pod's container on this machine. */
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
    args: [...words, ...container.args.map(here), `--kubeconfig=${machine.kubeconfig}`, ...ports],
    env: { ...machine.environment, ...env },
  };
}

export const podFolder = (sandboxFolder: string, part: SandboxPart): string => join(sandboxFolder, 'pods', part);
/** Returns the path of the process description, which the kubelet writes once all mounted volumes exist. */
export const launchFile = (sandboxFolder: string, part: SandboxPart): string =>
  join(podFolder(sandboxFolder, part), 'launch.json');
/** Returns the path of the token that the part's kubeconfig names. */
export const tokenFile = (sandboxFolder: string, part: SandboxPart): string =>
  join(podFolder(sandboxFolder, part), 'token');
