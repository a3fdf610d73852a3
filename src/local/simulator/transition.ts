/** A state with a possible later change, such as from `starting` to `running`. Reads apply a due change. */
export interface Transition<State extends string> {
  state: State;
  /** The next state and the time of the change in milliseconds. Undefined without a pending change. */
  next?: { readonly at: number; readonly state: State };
}

/** Returns the state at `now`. Applies a pending change whose time has come. */
export function stateAt<State extends string>(transition: Transition<State>, now: number): State {
  if (transition.next !== undefined && transition.next.at <= now) {
    transition.state = transition.next.state;
    delete transition.next;
  }
  return transition.state;
}

/** Changes the state to `via`, and after `ms` milliseconds to `state`. Changes the state directly to `state` if `ms` is 0. */
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
