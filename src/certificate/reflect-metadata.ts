/**
 * `@peculiar/x509` registers its algorithms through a container that needs the metadata functions of Reflect. The registered classes have no
 * constructor parameters, so "no metadata" is always the right answer.
 */
if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, {
    getMetadata: () => undefined,
    getOwnMetadata: () => undefined,
    defineMetadata: () => undefined,
  });
}
