/** The environment of short processes in Go. It disables the garbage collection, which would take up to half of their processor time. */
export const WITHOUT_COLLECTION: Readonly<Record<string, string>> = { GOGC: 'off', GOMEMLIMIT: '256MiB' };

/**
 * The environment of kubectl. Each start of kubectl compresses all its messages in the language of the user: 350 KB in English. In French, they are
 * 6 KB, because only help texts are translated.
 */
export const FOR_KUBECTL: Readonly<Record<string, string>> = { ...WITHOUT_COLLECTION, LC_ALL: 'fr_FR.UTF-8' };
