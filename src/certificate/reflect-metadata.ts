/**
 * Adds the functions of `Reflect` without which the import of `@peculiar/x509` fails. The classes of the package have no constructor parameters, so
 * the functions return nothing.
 */
if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, {
    getMetadata: () => undefined,
    getOwnMetadata: () => undefined,
    defineMetadata: () => undefined,
  });
}
