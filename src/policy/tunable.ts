/** The built-in rules that policies may tune and exceptions may lift, by name, with what each judges. */
export type Tunable = ReadonlyMap<string, TunableRule>;

export interface TunableRule {
  readonly kind: 'Service' | 'Node';
  /** It finds nothing in what is created. */
  readonly judgesChangesOnly: boolean;
}
