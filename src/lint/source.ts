/** The text of a file or of standard input, with the name for messages. */
export interface Source {
  readonly name: string;
  readonly text: string;
}
