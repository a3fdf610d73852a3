/** The text of a file or of standard input, with its name for messages. `readSource` returns a source for each file of a command. */
export interface Source {
  readonly name: string;
  readonly text: string;
}
