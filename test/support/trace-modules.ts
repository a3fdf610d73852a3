import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** A preload (`--import`) that writes the URL of every loaded module into the file `TRACE_MODULES`. A test checks what the webhook loads. */
const file = process.env['TRACE_MODULES'];

registerHooks({
  load: (url, context, next) => {
    if (file !== undefined) appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
