/** The environment of short processes in Go. They need no garbage collection, which takes up to half of their processor time. */
export const WITHOUT_COLLECTION: Readonly<Record<string, string>> = { GOGC: 'off', GOMEMLIMIT: '256MiB' };
