import { join } from 'node:path';
import type { ProcessSpec } from '../process.ts';
import type { Part } from '../sandbox-record.ts';
import type { Container } from './container.ts';
import { expand, resolveEnvironment, type ValueSource } from './environment-variables.ts';
import { relocate } from './mounts.ts';

/** What stands in for the image, and for the network of its own that a pod has. */
export interface Machine {
  /** Where volumes lie: `volumes/<name>` under it. */
  readonly podFolder: string;
  /** What the image starts when the container names no command. */
  readonly entrypoint: readonly string[];
  readonly kubeconfig: string;
  /** Ports on 127.0.0.1, by the names of the container's ports: several sandboxes share the machine. */
  readonly ports: Readonly<Record<string, number>>;
  /** Variables that point to the simulator; the container's own win. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The flags by which each container port is moved to a port on the loopback. A flag given twice counts with its last value. */
export const PORT_FLAGS: Readonly<Record<Part, Readonly<Record<string, (port: number) => readonly string[]>>>> = {
  webhook: {
    https: (port) => ['--bind-address=127.0.0.1', `--port=${port}`],
    health: (port) => [`--health-probe-bind-addr=127.0.0.1:${port}`],
  },
  controller: {
    health: (port) => [`--health-probe-bind-addr=127.0.0.1:${port}`],
  },
};

/** The process that a pod of this container is on this machine. */
export function launchSpec(part: Part, container: Container, source: ValueSource, machine: Machine): ProcessSpec {
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

export const podFolder = (sandboxFolder: string, part: Part): string => join(sandboxFolder, 'pods', part);
/** Where the kubelet leaves the process of a part, once all that it mounts exists. */
export const launchFile = (sandboxFolder: string, part: Part): string =>
  join(podFolder(sandboxFolder, part), 'launch.json');
/** The token that the part's kubeconfig names. */
export const tokenFile = (sandboxFolder: string, part: Part): string => join(podFolder(sandboxFolder, part), 'token');
