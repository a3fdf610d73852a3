/** A function that records a duration in milliseconds, for metrics. */
export type RecordDuration<Verb extends string> = (verb: Verb, milliseconds: number) => void;
