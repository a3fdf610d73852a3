import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Loaded before a program (`--import`): writes the URL of every module that it loads into the file that the environment names. */
const file = process.env['TRACE_MODULES'];

registerHooks({
  load: (url, context, next) => {
    if (file !== undefined) appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
