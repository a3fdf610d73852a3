/** The exit codes of commands: 0 without findings, 1 with findings, 2 if the command could not run. */
export const EXIT = { fine: 0, findings: 1, failed: 2 } as const;
