/** A text with the name by which people know it. */
export interface Source {
  readonly name: string;
  readonly text: string;
}
