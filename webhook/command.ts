import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import type { createAdmission } from './admission/admission.ts';
import { readConfig } from './config.ts';

/** Returns the command `portcullis webhook`. `decideBy` replaces the handlers in a benchmark. */
export function command(decideBy?: typeof createAdmission): Command {
  return new Command('webhook')
    .description('serve admission: deny invalid Services and Nodes, rewrite deprecated keys')
    .option('--port <n>', 'port of the admission server (HTTPS)', '9443')
    .option('--bind-address <ip>', 'address of the admission server; if empty, all addresses', '')
    .option(
      '--tls-cert-dir <folder>',
      'folder with tls.crt and tls.key, which are read again when they change',
      '/etc/portcullis/tls',
    )
    .option('--tls-cert-file <file>', 'certificate; overrides tls.crt in the folder')
    .option('--tls-private-key-file <file>', 'private key; overrides tls.key in the folder')
    .option(
      '--client-ca-file <file>',
      'PEM file of the authority of client certificates; if absent, clients need no certificate',
    )
    .option(
      '--client-names <names>',
      'comma-separated common names that client certificates may have; if empty, any',
      '',
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster; if absent, the service account of the pod')
    .option('--health-probe-bind-addr <address>', 'address of /healthz, /readyz and /metrics (HTTP)', ':10259')
    .option('--probe-port <n>', 'port of /healthz, /readyz and /metrics; overrides the port of the address')
    .option(
      '--deprecated-keys <how>',
      'deprecated annotations: "replace", "keep" (in addition to the current keys), or "auto" (depends on the client that writes the object)',
      'auto',
    )
    .option('--warn-only', 'tunable rules warn and do not deny', false)
    .option('--strict', 'return an error if a rule cannot be evaluated; for failurePolicy Fail', false)
    .option('--protected-load-balancers <ids>', 'comma-separated ids of load balancers that no Service may use', '')
    .option(
      '--max-in-flight <n>',
      'maximum number of reviews in progress; further reviews are answered without hygiene rules',
      '400',
    )
    .option('--cache-sync-seconds <n>', 'maximum time that readiness waits for Services and the inventory', '20')
    .option('--drain-seconds <n>', 'time for which requests are still served after SIGTERM', '10')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent', 'info')
    .action(async (flags: Readonly<Record<string, unknown>>) => {
      const config = readConfig(flags);
      // Disables V8's mid-tier compiler, which would keep a tenth of the process memory resident.
      setFlagsFromString('--no-maglev');
      const { runWebhook } = await import('./main.ts');
      await runWebhook(config, process.env, decideBy);
    });
}
