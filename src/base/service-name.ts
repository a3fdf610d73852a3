import { PortcullisError } from './errors.ts';

/** Returns the argument of a command as the name of a Service. Throws for `NAMESPACE/NAME`, with the right spelling. */
export function serviceNameOf(argument: string): string {
  const [namespace = '', name] = argument.split('/');
  if (name === undefined) return argument;
  const way = name === '' || namespace === '' ? 'write the name alone' : `write ${name} -n ${namespace}`;
  throw new PortcullisError('InvalidConfiguration', `${JSON.stringify(argument)} is not the name of a Service: ${way}`);
}
