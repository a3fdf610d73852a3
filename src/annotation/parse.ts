import type { Options, OptionName } from './catalogue.ts';

/** A value that is not one. */
export interface Issue {
  readonly option: OptionName;
  /** The key as the user wrote it. */
  readonly key: string;
  readonly found: string;
  readonly allowed: string;
  readonly fix: string;
}

/** A key under our prefixes that the catalogue does not know. */
export interface UnknownKey {
  readonly key: string;
  /** The nearest known key, if one is near. */
  readonly nearest?: string;
}

/** A known key in a form that is no longer the current one. */
export interface DeprecatedKey {
  readonly key: string;
  readonly current: string;
}

export interface Parsed {
  /** The values that could be read, under either form of their key; absent and empty ones are left out, nothing is defaulted. */
  readonly options: Options;
  /** The key under which each present option was found, also where its value is an issue. */
  readonly keys: ReadonlyMap<OptionName, string>;
  readonly issues: readonly Issue[];
  readonly unknown: readonly UnknownKey[];
  readonly deprecated: readonly DeprecatedKey[];
}
