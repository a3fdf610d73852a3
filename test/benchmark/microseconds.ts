const ROUNDS = 9;
/** Rounds before the measurement, until the compiler has optimized `turn`, as in a server that runs for weeks. */
const WARM_UP_ROUNDS = 30;
const TURNS = 20_000;

/** Returns microseconds of processor time per call. */
function round(turn: () => unknown, turns: number): number {
  const since = process.cpuUsage();
  for (let n = 0; n < turns; n++) turn();
  const { user, system } = process.cpuUsage(since);
  return (user + system) / turns;
}

/** Returns microseconds of processor time per call of `turn`, the median of several rounds in a warm process. */
export function microseconds(turn: () => unknown, turns = TURNS): number {
  for (let n = 0; n < WARM_UP_ROUNDS; n++) round(turn, turns);
  const rounds = Array.from({ length: ROUNDS }, () => round(turn, turns));
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? NaN;
}
