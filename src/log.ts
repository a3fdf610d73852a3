import { pino, type Logger } from 'pino';

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

/** The root logger: one JSON object a line on standard output. Fields named like secrets are cut at any of the first three levels. */
export const rootLogger = (level: string): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
  });

/** The logger of one turn of one controller. */
export const reconcileLogger = (log: Logger, controller: string, object: string, reconcileId: string): Logger =>
  log.child({ controller, object, reconcileId });
