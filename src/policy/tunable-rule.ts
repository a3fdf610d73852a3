/**
 * The built-in rules that policies may tune and exceptions may cover, by name. `src/rules/index.ts` builds the map. The compilation of a policy or an
 * exception rejects rules that the map lacks, so that no policy weakens a rule that protects other users.
 */
export type Tunable = ReadonlyMap<string, TunableRule>;

/** The properties of a rule that decide which policies and exceptions fit. */
export interface TunableRule {
  readonly kind: 'Service' | 'Node';
  /** True if the rule finds violations in updates only. */
  readonly checksChangesOnly: boolean;
}
