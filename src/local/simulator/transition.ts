/** A state with an automatic transition. */
export interface Transition<State extends string> {
  state: State;
  /** The next state and its time in milliseconds, during a transition. */
  next?: { readonly at: number; readonly state: State };
}

/** Returns the state at `now`, after any due transition. */
export function stateAt<State extends string>(transition: Transition<State>, now: number): State {
  if (transition.next !== undefined && transition.next.at <= now) {
    transition.state = transition.next.state;
    delete transition.next;
  }
  return transition.state;
}

/** Changes to `via` now, and to `state` after `ms` milliseconds; directly to `state` if `ms` is 0. */
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
