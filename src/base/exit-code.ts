/** The exit codes of all commands. `findings` means that the command ran and found problems. `failed` means that the command could not run. */
export const EXIT = { fine: 0, findings: 1, failed: 2 } as const;
