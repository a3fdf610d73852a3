/** A kubeconfig, as JSON, of somebody with a token at that address; what names no namespace is in `shop`. */
export const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'sesame' } }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    'current-context': 'dev',
  });

/** A list as the API server answers it: its items do not say what they are. */
export const listOf = (...items: readonly object[]): object => ({
  metadata: { resourceVersion: '1' },
  items: items.map((item) => ({ ...item, apiVersion: undefined, kind: undefined })),
});
