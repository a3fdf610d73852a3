/**
 * Adds the functions of `Reflect` without which the import of `@peculiar/x509` fails. The functions return nothing, because the classes that the
 * package injects have no constructor parameters.
 */
if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, {
    getMetadata: () => undefined,
    getOwnMetadata: () => undefined,
    defineMetadata: () => undefined,
  });
}
