import type { ChangeOperation } from '../plan-command/resource-changes.ts';

export type PictureNodeKind = 'service' | 'port' | 'listener' | 'server-group' | 'backend' | 'certificate' | 'problem';

/** The state of a resource: unchanged, changed by the plan, or missing because a guard blocks the creation. */
export type PictureState = 'unchanged' | ChangeOperation | 'blocked';

/** A node of a picture. */
export interface PictureNode {
  /** Unique in the picture. */
  readonly key: string;
  readonly kind: PictureNodeKind;
  readonly state: PictureState;
  readonly lines: readonly string[];
}

/** An arrow between two nodes. A dashed arrow leads to a certificate or a problem, or stands for a user-managed listener. */
export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  readonly isDashed?: boolean;
}

/** The nodes and edges of a part of a picture. */
export interface PicturePart {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

/** A load balancer, with the nodes inside. */
export interface PictureBox {
  readonly state: PictureState;
  readonly lines: readonly string[];
  readonly nodes: readonly PictureNode[];
}

/** A diagram of a Service and its resources. `servicePicture` builds the diagram; `dot` and `mermaid` return the diagram as text. */
export interface Picture {
  readonly title: string;
  readonly boxes: readonly PictureBox[];
  /** The nodes outside of all boxes. */
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

/** The maximum length of a line in a label, in characters. */
const WIDEST = 60;

/** Breaks a text at spaces into lines of a label. */
export function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WIDEST) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const STATES: Readonly<Record<PictureState, string>> = {
  unchanged: '',
  create: ' (to create)',
  change: ' (to change)',
  delete: ' (to delete)',
  blocked: ' (missing)',
};

/** Returns the lines of a label. The first line includes the state of the resource. */
export const labelled = ({
  state,
  lines: [first = '', ...more],
}: Pick<PictureNode, 'state' | 'lines'>): readonly string[] => [`${first}${STATES[state]}`, ...more];

/** Returns a short identifier for each node, because keys contain characters that the output formats do not allow. */
export const identifiers = ({ boxes, nodes }: Picture): ReadonlyMap<string, string> =>
  new Map([...nodes, ...boxes.flatMap((box) => box.nodes)].map(({ key }, index) => [key, `n${index}`]));
