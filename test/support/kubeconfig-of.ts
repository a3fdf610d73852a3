/** Returns a kubeconfig as JSON with a token for this address. The default namespace is `shop`. Commands read it in unit tests. */
export const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'sesame' } }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    'current-context': 'dev',
  });

/** Returns a list as the API server sends it. Its items have no kind. */
export const listOf = (...items: readonly object[]): object => ({
  metadata: { resourceVersion: '1' },
  items: items.map((item) => ({ ...item, apiVersion: undefined, kind: undefined })),
});
