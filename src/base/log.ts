import { pino, type Logger } from 'pino';
import { PortcullisError } from './errors.ts';
import { traceId } from './trace.ts';

export type { Logger } from 'pino';

const SECRET_KEYS = [
  'accessKeyId',
  'accessKeySecret',
  'securityToken',
  'authorization',
  'token',
  'password',
  'Signature',
];

/** The destination of log lines. Each line ends with a newline. */
export interface LogOutput {
  write(line: string): void;
}

/** Returns standard output with one write for all lines of one tick of the event loop. A write for each line costs more than evaluating a review. */
export function perTickOutput(): LogOutput {
  const destination = pino.destination({ dest: 1, sync: true });
  let waiting = '';
  const flush = (): void => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') destination.write(lines);
  };
  process.once('exit', flush);
  return {
    write: (line) => {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
  };
}

/** Returns the error and its causes, the outermost first. */
function chainOf(error: Error): readonly Error[] {
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && !chain.includes(each); each = each.cause) chain.push(each);
  return chain;
}

/** Joins the messages of an error and its causes. Omits a message that an outer message already contains. */
const wholeMessage = (chain: readonly Error[]): string =>
  chain.reduce(
    (joined, { message }) => (joined.includes(message) ? joined : `${joined}: ${message}`),
    chain[0]?.message ?? '',
  );

/** Returns the log fields of an error. Only a bug has a stack, because the message of any other error says what happened and what to do. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const chain = chainOf(error);
  const fields = { type: error.name, message: wholeMessage(chain) };
  if (!(error instanceof PortcullisError) || error.reason === 'Bug')
    return { ...fields, stack: chain.map(({ stack = '' }) => stack).join('\ncaused by: ') };
  const { reason, code, requestId } = error;
  return {
    ...fields,
    reason,
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Returns the id of the current trace in a new object, because pino adds the fields of the line to the object. */
function ofTrace(): { readonly traceId?: string } {
  const id = traceId();
  return id === undefined ? {} : { traceId: id };
}

/** Returns the root logger: one JSON object a line, on standard output by default. Redacts fields with names of secrets at the first three levels. */
export const rootLogger = (level: string, output: LogOutput = pino.destination(1)): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      mixin: ofTrace,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
    },
    output,
  );

/** Returns the logger of one reconcile of one controller. */
export const reconcileLogger = (log: Logger, controller: string, object: string, reconcileId: string): Logger =>
  log.child({ controller, object, reconcileId });
