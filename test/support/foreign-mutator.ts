import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AdmissionCluster } from './admission-cluster.ts';

type Texts = Readonly<Record<string, string>>;

/** A foreign mutating webhook for Services that adds annotations, so that the API server calls the webhook of the product again. */
export interface ForeignMutator extends AsyncDisposable {
  /** Returns the number of calls. */
  calls(): number;
}

interface ReviewRequest {
  readonly request: { readonly uid: string; readonly object: { readonly metadata: { readonly annotations?: Texts } } };
}

const pointer = (key: string): string => `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function patchFor(annotations: Texts | undefined, wanted: Texts): readonly object[] {
  const missing = Object.entries(wanted).filter(([key, value]) => annotations?.[key] !== value);
  if (annotations === undefined) return [{ op: 'add', path: '/metadata/annotations', value: wanted }];
  return missing.map(([key, value]) => ({ op: 'add', path: pointer(key), value }));
}

/**
 * Registers a foreign webhook. A name with `aa` sorts before the name of the product, and `zz` after it. `adds` maps observed to added annotations.
 */
export async function startForeignMutator(
  { plane, certificate }: AdmissionCluster,
  name: string,
  adds: (annotations: Texts) => Texts,
): Promise<ForeignMutator> {
  let calls = 0;
  const server = createServer({ cert: certificate.certificate, key: certificate.key }, (incoming, answer) => {
    void text(incoming).then((body) => {
      calls += 1;
      const { request } = JSON.parse(body) as ReviewRequest;
      const { annotations } = request.object.metadata;
      const patch = Buffer.from(JSON.stringify(patchFor(annotations, adds(annotations ?? {})))).toString('base64');
      const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch };
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await plane.client.create('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        admissionReviewVersions: ['v1'],
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(certificate.authority.certificate).toString('base64'),
        },
        rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['services'] }],
        failurePolicy: 'Fail',
        sideEffects: 'None',
        timeoutSeconds: 30,
        reinvocationPolicy: 'IfNeeded',
      },
    ],
  });
  return {
    calls: () => calls,
    [Symbol.asyncDispose]: async () => {
      await plane.kubectl('delete', 'mutatingwebhookconfiguration', name);
      server.closeAllConnections();
      server.close();
    },
  };
}
