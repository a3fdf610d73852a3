/** How every command ends: 0 without a finding, 1 with one, 2 if it could not run. */
export const EXIT = { fine: 0, findings: 1, failed: 2 } as const;
