import { Argument, Command, Option } from 'commander';
import { serviceNameOf } from '../base/service-argument.ts';
import { accessBy, withAccessFlags, type AccessFlags } from '../plan-command/access-flags.ts';

interface Flags extends AccessFlags {
  readonly output: 'mermaid' | 'dot';
}

async function runService(name: string, flags: Flags, self: Command): Promise<void> {
  const service = serviceNameOf(name);
  const access = accessBy(flags);
  // The packages of the cloud are loaded only when this command runs.
  const [{ planStored }, { rootLogger }, { servicePicture }, { dot }, { mermaid }] = await Promise.all([
    import('../plan-command/stored-service-plan.ts'),
    import('../base/log.ts'),
    import('./service-picture.ts'),
    import('./dot.ts'),
    import('./mermaid.ts'),
  ]);
  const picture = servicePicture(await planStored({ ...access, log: rootLogger('silent') }, service));
  self.configureOutput().writeOut?.({ dot, mermaid }[flags.output](picture));
}

function serviceCommand(): Command {
  const service = new Command('service')
    .description(
      'print a picture of a Service: ports, listeners, server groups, backends, certificates and blocked changes',
    )
    .addArgument(new Argument('<NAME>', 'name of the Service'));
  return withAccessFlags(service, 'namespace of the Service; if absent, the namespace of the context')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['mermaid', 'dot']).default('mermaid'))
    .addHelpText(
      'after',
      '\nExit codes: 0 the picture is printed, 2 the Service does not exist, has no load balancer, or could not be read.',
    )
    .action(runService);
}

/** Creates `portcullis graph`, which draws the plan of a Service as a diagram. */
export const command = (): Command =>
  new Command('graph')
    .description('print a picture of an object with its cloud resources, and change nothing')
    .addCommand(serviceCommand());
