import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import type { createAdmission } from './admission/admission.ts';
import { readConfig } from './config.ts';

/**
 * Returns the command `portcullis webhook`, which loads its modules when it runs. Rejects with `InvalidConfiguration` if flags are wrong. The rules
 * decide requests unless `decideBy` is given.
 */
export function command(decideBy?: typeof createAdmission): Command {
  return new Command('webhook')
    .description('serve admission: deny bad Services and Nodes, rewrite deprecated keys')
    .option('--port <n>', 'port of the admission server, HTTPS', '9443')
    .option('--bind-address <ip>', 'address of the admission server; all addresses when empty', '')
    .option(
      '--tls-cert-dir <folder>',
      'folder that holds tls.crt and tls.key; followed when they change',
      '/etc/portcullis/tls',
    )
    .option('--tls-cert-file <file>', 'the certificate, instead of tls.crt in the folder')
    .option('--tls-private-key-file <file>', 'its key, instead of tls.key in the folder')
    .option(
      '--client-ca-file <file>',
      'authority whose certificates clients have to show, PEM; nobody has to show one when absent',
    )
    .option(
      '--client-names <names>',
      'common names that such a certificate may have, joined by commas; any when empty',
      '',
    )
    .option('--kubeconfig <file>', "how to reach the API server; the pod's service account when absent")
    .option('--health-probe-bind-addr <address>', 'address of /healthz, /readyz and /metrics, HTTP', ':10259')
    .option('--probe-port <n>', 'port of /healthz, /readyz and /metrics, instead of that of the address')
    .option(
      '--deprecated-keys <how>',
      'what to do with deprecated annotations: replace them, keep them beside the current ones, or auto: by the writer',
      'auto',
    )
    .option('--warn-only', 'let every tunable rule warn instead of deny', false)
    .option('--strict', 'answer with an error instead of skipping a rule; for failurePolicy Fail', false)
    .option('--protected-load-balancers <ids>', 'load balancers never to be reused, joined by commas', '')
    .option(
      '--max-in-flight <n>',
      'reviews that may wait for a decision; more are answered without hygiene rules',
      '400',
    )
    .option('--cache-sync-seconds <n>', 'for how long readiness waits for Services and the inventory', '20')
    .option('--drain-seconds <n>', 'for how long requests are still served after SIGTERM', '10')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent', 'info')
    .action(async (flags: Readonly<Record<string, unknown>>) => {
      const config = readConfig(flags);
      // Disables the mid-tier compiler: its memory stays resident, a tenth of the whole process.
      setFlagsFromString('--no-maglev');
      const { runWebhook } = await import('./main.ts');
      await runWebhook(config, process.env, decideBy);
    });
}
