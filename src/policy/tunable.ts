/** The built-in rules that policies may tune and exceptions may lift, by name, with what each judges. */
export type Tunable = ReadonlyMap<string, 'Service' | 'Node'>;
