import { PortcullisError } from './errors.ts';

/** Returns the Service name in an argument of `portcullis status` or `graph`. Throws for `NAMESPACE/NAME`, and suggests the option `-n`. */
export function serviceNameOf(argument: string): string {
  if (!argument.includes('/')) return argument;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(argument) ?? [];
  const way = name === undefined ? 'write the name alone' : `write ${name} -n ${namespace}`;
  throw new PortcullisError('InvalidConfiguration', `${JSON.stringify(argument)} is not the name of a Service: ${way}`);
}
