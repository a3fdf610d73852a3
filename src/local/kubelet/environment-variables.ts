import { PortcullisError } from '../../base/errors.ts';
import type { Container, EnvVar } from './container-of-deployment.ts';

/** The values in Secrets and ConfigMaps of the container's namespace. The functions return undefined if the object or the key does not exist. */
export interface ValueSource {
  readonly secret: (name: string, key: string) => string | undefined;
  readonly configMap: (name: string, key: string) => string | undefined;
}

/** The fields of a pod that a variable can refer to. */
const FIELDS: Readonly<Record<string, (container: Container) => string>> = {
  'metadata.namespace': ({ namespace }) => namespace,
  'metadata.name': ({ name }) => name,
  'spec.serviceAccountName': ({ serviceAccount }) => serviceAccount,
};

/** Returns the variables of the process that runs a container. A variable can refer to earlier variables. Throws if a required value is missing. */
export function resolveEnvironment(container: Container, source: ValueSource): Readonly<Record<string, string>> {
  const resolved: Record<string, string> = {};
  for (const variable of container.env) {
    const value = valueOf(variable, container, source, resolved);
    if (value !== undefined) resolved[variable.name] = value;
  }
  return resolved;
}

function valueOf(
  variable: EnvVar,
  container: Container,
  source: ValueSource,
  resolved: Readonly<Record<string, string>>,
): string | undefined {
  const from = variable.valueFrom;
  if (from === undefined) return expand(variable.value ?? '', resolved);
  const { secretKeyRef, configMapKeyRef, fieldRef } = from;
  if (secretKeyRef !== undefined) return keyed('Secret', secretKeyRef, source.secret, container.name);
  if (configMapKeyRef !== undefined) return keyed('ConfigMap', configMapKeyRef, source.configMap, container.name);
  const field = FIELDS[fieldRef?.fieldPath ?? ''];
  if (field !== undefined) return field(container);
  throw new PortcullisError(
    'InvalidConfiguration',
    `Deployment ${container.name}: variable ${variable.name} has a source that the sandbox does not support: use a value, a Secret, a ConfigMap or one of the fields ${Object.keys(FIELDS).join(', ')}`,
  );
}

interface KeyRef {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

function keyed(kind: string, ref: KeyRef, readKey: ValueSource['secret'], deployment: string): string | undefined {
  const { name = '', key, optional } = ref;
  const value = readKey(name, key);
  if (value !== undefined || optional === true) return value;
  throw new PortcullisError(
    'InvalidConfiguration',
    `Deployment ${deployment}: ${kind} ${name} with key ${key} does not exist`,
  );
}

/** Replaces `$(NAME)` with the value of a known variable, and `$$(NAME)` with `$(NAME)`; see `Container.args` in the Kubernetes API. */
export const expand = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/\$(\$|\(([^()]+)\))/g, (whole, escape: string, name: string | undefined) =>
    name === undefined ? escape : (variables[name] ?? whole),
  );
