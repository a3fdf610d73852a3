import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { eventually, startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';

const OLD = 'service.beta.kubernetes.io/alicloud-loadbalancer-scheduler';
const NEW = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler';

interface Keys {
  readonly old?: string;
  readonly new?: string;
}
const manifest = (name: string, keys: Keys): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: 'shop',
      annotations: {
        ...(keys.old === undefined ? {} : { [OLD]: keys.old }),
        ...(keys.new === undefined ? {} : { [NEW]: keys.new }),
      },
    },
    spec: { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 80 }] },
  });

type Way = 'apply' | 'server-side' | 'create' | 'replace' | 'annotate' | 'patch' | 'diff';

/** One command, and what is stored after it. */
interface Step {
  readonly by: Way;
  /** What its manifest says, or for `annotate` and `patch` what it changes: null takes away. */
  readonly keys: Keys | { readonly old?: string | null; readonly new?: string | null };
  readonly stored: Keys;
  /** The stored object is not written anew. */
  readonly same?: true;
}

const CLIENT: Step[] = [
  { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' } },
  { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
  { by: 'diff', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
  { by: 'apply', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
  { by: 'annotate', keys: { old: 'sch' }, stored: { new: 'sch' } },
  { by: 'annotate', keys: { new: 'tch' }, stored: { new: 'tch' } },
  { by: 'apply', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
  { by: 'apply', keys: {}, stored: {} },
  { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' } },
  { by: 'apply', keys: { new: 'rr' }, stored: { new: 'rr' } },
  { by: 'apply', keys: { old: 'wrr', new: 'rr' }, stored: { new: 'rr' } },
  { by: 'apply', keys: {}, stored: {} },
];

const SEQUENCES: Record<string, Step[]> = {
  'are replaced for kubectl apply, and follow its manifest': CLIENT,
  'are replaced for server-side apply, and follow its manifest': [
    { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' } },
    { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
    { by: 'server-side', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
    { by: 'server-side', keys: { new: 'wrr' }, stored: { new: 'wrr' } },
    { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' } },
    { by: 'server-side', keys: {}, stored: {} },
  ],
  'go over from kubectl apply to server-side apply without a conflict': [
    { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' } },
    { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' } },
    { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
    { by: 'server-side', keys: {}, stored: {} },
  ],
  'are replaced for kubectl create and replace': [
    { by: 'create', keys: { old: 'rr' }, stored: { new: 'rr' } },
    { by: 'replace', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
    { by: 'replace', keys: {}, stored: {} },
  ],
  'are kept for a writer of patches, and mirrored, and go together': [
    { by: 'patch', keys: {}, stored: {} },
    { by: 'patch', keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
    { by: 'patch', keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' }, same: true },
    { by: 'patch', keys: { old: 'wrr' }, stored: { old: 'wrr', new: 'wrr' } },
    { by: 'patch', keys: { new: 'rr' }, stored: { old: 'wrr', new: 'rr' } },
    { by: 'patch', keys: { old: 'sch' }, stored: { old: 'sch', new: 'sch' } },
    { by: 'patch', keys: { old: null }, stored: {} },
  ],
};

describe('deprecated annotations on the real API server', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  let webhook: WebhookProcess;
  const kubectl = (input: string, ...args: string[]) => cluster.plane.kubectlWith(input, '-n', 'shop', ...args);

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.plane.kubectl('create', 'namespace', 'shop');
    webhook = resources.use(await startWebhook(cluster.flags));
    await webhook.ready();
    cluster.route(webhook.port);
    await cluster.register();
    await eventually(async () => {
      const { stderr } = await kubectl(manifest('probe', { old: 'rr' }), 'apply', '--dry-run=server', '-f', '-');
      return stderr.includes('deprecated') || undefined;
    }, 'the webhook is in force');
  });
  after(() => resources.disposeAsync());

  async function stored(name: string): Promise<{ keys: Keys; version: string }> {
    const { stdout } = await kubectl('', 'get', 'service', name, '-o', 'json');
    const { metadata } = JSON.parse(stdout) as {
      metadata: { resourceVersion: string; annotations?: Record<string, string> };
    };
    const { [OLD]: old, [NEW]: current } = metadata.annotations ?? {};
    const keys = { ...(old === undefined ? {} : { old }), ...(current === undefined ? {} : { new: current }) };
    return { keys, version: metadata.resourceVersion };
  }

  async function run(name: string, { by, keys }: Step) {
    const text = manifest(name, keys as Keys);
    switch (by) {
      case 'annotate': {
        const said = Object.entries(keys).map(([which, value]) => `${which === 'old' ? OLD : NEW}=${String(value)}`);
        return kubectl('', 'annotate', '--overwrite', 'service', name, ...said);
      }
      case 'patch': {
        const annotations = Object.fromEntries(
          Object.entries(keys).map(([which, value]) => [which === 'old' ? OLD : NEW, value]),
        );
        const patch = JSON.stringify({ metadata: { annotations } });
        if (Object.keys(keys).length === 0) return kubectl(text, 'create', '--field-manager=helm', '-f', '-');
        return kubectl('', 'patch', 'service', name, '--field-manager=helm', '--type=merge', '-p', patch);
      }
      case 'server-side':
        return kubectl(text, 'apply', '--server-side', '-f', '-');
      case 'apply':
      case 'create':
      case 'replace':
      case 'diff':
        return kubectl(text, by, '-f', '-');
    }
  }

  for (const [sentence, steps] of Object.entries(SEQUENCES)) {
    it(sentence, async () => {
      const name = `s${Object.keys(SEQUENCES).indexOf(sentence)}`;
      let version: string | undefined;
      for (const [index, step] of steps.entries()) {
        const { code, stderr } = await run(name, step);
        const place = `step ${index + 1}, ${step.by} ${JSON.stringify(step.keys)}: ${stderr}`;
        assert.equal(code, 0, place);
        const now = await stored(name);
        assert.deepEqual(now.keys, step.stored, place);
        if (step.same === true) assert.equal(now.version, version, place);
        // A patch that changes nothing does not reach the webhook.
        const isHeard = step.by !== 'patch' || step.same !== true;
        const isOld = step.stored.old !== undefined || typeof step.keys.old === 'string';
        assert.equal(stderr.includes('is deprecated and stored as'), isHeard && isOld, place);
        version = now.version;
      }
    });
  }
});
