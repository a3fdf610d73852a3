/** The built-in rules that policies may tune and exceptions may cover, by name. Rules that protect other users are absent. */
export type Tunable = ReadonlyMap<string, TunableRule>;

/** The properties of a rule that decide which policies and exceptions fit. */
export interface TunableRule {
  readonly kind: 'Service' | 'Node';
  /** True if the rule finds violations in updates only. */
  readonly checksChangesOnly: boolean;
}
