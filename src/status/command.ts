import { Argument, Command, Option } from 'commander';
import { systemClock } from '../base/clock.ts';
import { messageOf, type PortcullisError } from '../base/errors.ts';
import { EXIT } from '../base/exit-code.ts';
import { serviceNameOf } from '../base/service-argument.ts';
import { objectKey } from '../base/kubernetes-objects.ts';
import { openReader } from '../kubernetes/cluster-reader.ts';
import { readCluster, type StatusRequest } from './read-cluster.ts';
import { statusExitCode, statusJson, statusReport, statusSummary, type StatusReport } from './report.ts';
import { readService } from './service/read-service.ts';
import { serviceReport } from './service/service-report.ts';
import { stopSignal } from './stop-signal.ts';
import { statusText } from './text.ts';
import { watchStatus } from './watch.ts';

interface Flags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly output: 'text' | 'json';
  readonly watch?: boolean;
}

/** The escape sequence that clears the screen before the next report. */
const CLEAR = '\u001B[2J\u001B[H';

/** Returns the functions that print reports and failures. With `--watch` on a terminal, each report replaces the last. */
function printer({ output, watch = false }: Flags, self: Command) {
  const terminal = self.configureOutput();
  const hasColors = terminal.getOutHasColors?.() === true;
  const isScreen = watch && output === 'text' && process.stdout.isTTY;
  const space = output === 'json' && watch ? undefined : 2;
  return {
    show: (report: StatusReport): void => {
      const text =
        output === 'json' ? `${JSON.stringify(statusJson(report), undefined, space)}\n` : statusText(report, hasColors);
      terminal.writeOut?.(isScreen ? CLEAR + text : text);
      terminal.writeErr?.(`${statusSummary(report)}\n`);
    },
    showFailure: (error: PortcullisError): void => terminal.writeErr?.(`error: ${messageOf(error)}\n`),
  };
}

/** Returns the function that reads the status of the installation, or of the named Service. */
function readerOf(name: string | undefined, request: StatusRequest): () => Promise<StatusReport> {
  if (name === undefined) return async () => statusReport(await readCluster(request));
  const key = objectKey(serviceNameOf(name), request.namespace ?? request.reader.namespace);
  return async () => serviceReport(await readService(request, key));
}

async function run(kind: string | undefined, name: string | undefined, flags: Flags, self: Command): Promise<void> {
  if (kind !== undefined && name === undefined)
    self.error("error: missing required argument 'NAME'", { exitCode: EXIT.failed });
  const { kubeconfig, context, namespace, watch = false } = flags;
  const clock = systemClock;
  await using reader = await openReader({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...{ environment: process.env, clock, component: 'portcullis-status' },
  });
  const signal = stopSignal(process, process.stdout);
  const read = readerOf(name, { reader, clock, signal, ...(namespace === undefined ? {} : { namespace }) });
  const { show, showFailure } = printer(flags, self);
  const once = async (): Promise<StatusReport> => {
    const report = await read();
    show(report);
    return report;
  };
  const report = await (watch ? watchStatus({ read, show, showFailure, clock, signal }) : once());
  // The output is already printed, so the error has no message.
  const code = statusExitCode(report);
  if (code !== EXIT.fine) self.error('', { exitCode: code });
}

/** Returns the command `portcullis status`, with which users check an installation or one Service. */
export function command(): Command {
  return new Command('status')
    .description('show whether an installation works, or the state and the events of one Service')
    .addArgument(new Argument('[KIND]', 'kind of the object to show').choices(['service']))
    .argument('[NAME]', 'name of the Service')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster; if absent, the kubeconfig of kubectl')
    .option('--context <name>', 'context of the kubeconfig; if absent, the current context')
    .option(
      '-n, --namespace <name>',
      'namespace of the Service; if absent, the namespace of the context. Without a Service: the namespace whose Services are counted; if absent, all',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-w, --watch', 'read again every 5 seconds, until Ctrl-C')
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing is wrong, 1 something is wrong, 2 the status could not be read, or not completely.',
    )
    .action(run);
}
