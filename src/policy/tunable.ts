/** The built-in rules that policies may tune and exceptions may cover, by name. `src/rules/index.ts` builds the map. */
export type Tunable = ReadonlyMap<string, TunableRule>;

export interface TunableRule {
  readonly kind: 'Service' | 'Node';
  /** True if the rule finds violations in updates only. */
  readonly judgesChangesOnly: boolean;
}
