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

/** Where lines go, each with its newline. */
export interface LogOutput {
  write(line: string): void;
}

/** Standard output, with one write for all lines of one turn of the event loop: a write for each costs more than deciding a review. */
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

/** An error and its causes, from the outermost. */
function chainOf(error: Error): readonly Error[] {
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && !chain.includes(each); each = each.cause) chain.push(each);
  return chain;
}

/** The messages of an error and its causes, each once: most tell of their cause themselves. */
const wholeMessage = (chain: readonly Error[]): string =>
  chain.reduce((told, { message }) => (told.includes(message) ? told : `${told}: ${message}`), chain[0]?.message ?? '');

/** What the log holds of an error. A stack says something only of a defect of ours; all others say what happened and what to do. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const chain = chainOf(error);
  const said = { type: error.name, message: wholeMessage(chain) };
  if (!(error instanceof PortcullisError) || error.reason === 'Bug')
    return { ...said, stack: chain.map(({ stack = '' }) => stack).join('\ncaused by: ') };
  const { reason, code, requestId } = error;
  return {
    ...said,
    reason,
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** The trace in which a line is written. An object of its own each time: the fields of the line are put into it. */
function ofTrace(): { readonly traceId?: string } {
  const id = traceId();
  return id === undefined ? {} : { traceId: id };
}

/** The root logger: one JSON object a line, on standard output unless said otherwise. Fields named like secrets are cut at any of the first three levels. */
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

/** The logger of one turn of one controller. */
export const reconcileLogger = (log: Logger, controller: string, object: string, reconcileId: string): Logger =>
  log.child({ controller, object, reconcileId });
