/**
 * Adds the functions of `Reflect` that `@peculiar/x509` calls when it is imported. Its classes have no constructor parameters, so the functions
 * return nothing.
 */
if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, {
    getMetadata: () => undefined,
    getOwnMetadata: () => undefined,
    defineMetadata: () => undefined,
  });
}
