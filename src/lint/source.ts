/** A text with the name that messages use. */
export interface Source {
  readonly name: string;
  readonly text: string;
}
