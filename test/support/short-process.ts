/** The environment of short processes in Go. It disables the garbage collection, which would take up to half of their processor time. */
export const WITHOUT_COLLECTION: Readonly<Record<string, string>> = { GOGC: 'off', GOMEMLIMIT: '256MiB' };
