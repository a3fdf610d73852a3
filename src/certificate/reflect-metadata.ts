/**
 * `@peculiar/x509` registers its algorithms through a container that refuses to load without the metadata part of Reflect.
 * None of the classes it registers takes constructor parameters, so "no metadata" is the right answer to everything it asks.
 */
if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, {
    getMetadata: () => undefined,
    getOwnMetadata: () => undefined,
    defineMetadata: () => undefined,
  });
}
