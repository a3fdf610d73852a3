/** The text of a file or of standard input, with its name for messages. `readSource` reads it for the commands that take manifests. */
export interface Source {
  readonly name: string;
  readonly text: string;
}
