import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Preload (`--import`) that writes the URL of every loaded module into the file that `TRACE_MODULES` names. */
const file = process.env['TRACE_MODULES'];

registerHooks({
  load: (url, context, next) => {
    if (file !== undefined) appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
