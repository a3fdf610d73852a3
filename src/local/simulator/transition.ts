/** A state that becomes another by itself. */
export interface Transition<State extends string> {
  state: State;
  /** What it becomes at `at` (milliseconds), when it is on the way. */
  next?: { readonly at: number; readonly state: State };
}

/** The state at `now`; one that is due is taken first. */
export function stateAt<State extends string>(transition: Transition<State>, now: number): State {
  if (transition.next !== undefined && transition.next.at <= now) {
    transition.state = transition.next.state;
    delete transition.next;
  }
  return transition.state;
}

/** Goes to `via` now and from there to `state` by itself after `ms`; at once when `ms` is 0. */
export function goTo<State extends string>(
  transition: Transition<State>,
  via: State,
  state: State,
  clock: { readonly now: number; readonly ms: number },
): void {
  delete transition.next;
  transition.state = clock.ms === 0 ? state : via;
  if (clock.ms > 0) transition.next = { at: clock.now + clock.ms, state };
}
