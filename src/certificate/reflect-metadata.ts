/** Adds the functions of `Reflect` that `@peculiar/x509` needs. The results can be empty, because injected classes have no constructor parameters. */
if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, {
    getMetadata: () => undefined,
    getOwnMetadata: () => undefined,
    defineMetadata: () => undefined,
  });
}
