export const CATALOGUE = {} as const;
export type OptionName = string;
export type Options = Readonly<Record<string, never>>;
