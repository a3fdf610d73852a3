/** A message of the mocha reporter in a child process to the runner (`make test`). */
export type Message =
  | { readonly kind: 'pass'; readonly title: string; readonly ms: number }
  | { readonly kind: 'skip'; readonly title: string }
  | { readonly kind: 'fail'; readonly title: string; readonly file: string; readonly detail: string }
  | { readonly kind: 'end' };
