const ROUNDS = 9;
/** A server runs for weeks: what its first million of reviews cost, until all of it is compiled, is not what they cost. */
const WARM_UP_ROUNDS = 30;
const TURNS = 20_000;

/** Microseconds of processor time. */
function round(turn: () => unknown, turns: number): number {
  const since = process.cpuUsage();
  for (let n = 0; n < turns; n++) turn();
  const { user, system } = process.cpuUsage(since);
  return (user + system) / turns;
}

/** Microseconds of processor time a turn, the median of some rounds, in a process that has made many turns before. */
export function microseconds(turn: () => unknown, turns = TURNS): number {
  for (let n = 0; n < WARM_UP_ROUNDS; n++) round(turn, turns);
  const rounds = Array.from({ length: ROUNDS }, () => round(turn, turns));
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? NaN;
}
