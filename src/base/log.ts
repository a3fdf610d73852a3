import { pino, type Logger } from 'pino';
import { PortcullisError } from './errors.ts';
import { traceId } from './trace-context.ts';

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

/** The destination of log lines. Lines include the newline. */
export interface LogOutput {
  write(line: string): void;
}

/** Returns standard output with one write per tick, because a write per line would cost more than an admission review. */
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

/** Returns the error and its causes, starting with the error. */
function chainOf(error: Error): readonly Error[] {
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && !chain.includes(each); each = each.cause) chain.push(each);
  return chain;
}

/** Joins the messages of an error and its causes. Skips a message that an earlier message already contains. */
const wholeMessage = (chain: readonly Error[]): string =>
  chain.reduce(
    (joined, { message }) => (joined.includes(message) ? joined : `${joined}: ${message}`),
    chain[0]?.message ?? '',
  );

/** Returns the log fields of an error. Only bugs get a stack, because the messages of other errors explain the problem. */
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

/** Returns the trace id for a log line. The object is new for each line, because pino modifies the object. */
function ofTrace(): { readonly traceId?: string } {
  const id = traceId();
  return id === undefined ? {} : { traceId: id };
}

/** Returns the logger of a process. Masks `SECRET_KEYS` only in the first three levels of nesting. */
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
