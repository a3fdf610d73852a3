/**
 * Adds the metadata functions that `@peculiar/x509` expects in `Reflect`. Without them, the import fails. Its classes have no constructor parameters,
 * so no metadata is needed.
 */
if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, {
    getMetadata: () => undefined,
    getOwnMetadata: () => undefined,
    defineMetadata: () => undefined,
  });
}
