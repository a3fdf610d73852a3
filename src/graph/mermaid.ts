import { plain } from '../rules/engine/safe-text.ts';
import {
  identifiers,
  labelled,
  type PictureNodeKind,
  type Picture,
  type PictureEdge,
  type PictureNode,
} from './picture.ts';

/** The brackets of a node, which determine its shape. */
const SHAPES: Readonly<Record<PictureNodeKind, readonly [open: string, close: string]>> = {
  service: ['([', '])'],
  port: ['(', ')'],
  listener: ['[', ']'],
  'server-group': ['[[', ']]'],
  backend: ['(', ')'],
  certificate: ['[/', '/]'],
  problem: ['{{', '}}'],
};

const CLASSES = {
  create: 'stroke:#1a7f37,color:#1a7f37,stroke-dasharray:4',
  change: 'stroke:#9a6700,color:#9a6700',
  delete: 'stroke:#cf222e,color:#cf222e,stroke-dasharray:4',
  blocked: 'stroke:#57606a,color:#57606a,stroke-dasharray:4',
  problem: 'stroke:#cf222e,color:#cf222e,stroke-width:2px',
} as const;

/** Returns lines as a quoted label. Replaces the characters that Mermaid interprets with entities. */
const quoted = (lines: readonly string[]): string => {
  const safe = lines.map((line) =>
    plain(line).replaceAll(/["#&<>`$\\*_~]/g, (character) => `#${String(character.codePointAt(0))};`),
  );
  return `"${safe.join('<br/>')}"`;
};

function edgeLine({ from, to, label, isDashed = false }: PictureEdge, ids: ReadonlyMap<string, string>): string {
  const [start, end] = isDashed ? ['-.', '.->'] : ['--', '-->'];
  const arrow = label === undefined ? (isDashed ? '-.->' : '-->') : `${start} ${quoted([label])} ${end}`;
  return `  ${ids.get(from) ?? ''} ${arrow} ${ids.get(to) ?? ''}`;
}

const classOf = ({ kind, state }: PictureNode): string => (kind === 'problem' ? 'problem' : state);

/** Returns the picture as a flowchart of Mermaid, the default output of `portcullis graph`. */
export function mermaid(picture: Picture): string {
  const { title, boxes, nodes, edges } = picture;
  const ids = identifiers(picture);
  const nodeLine = (node: PictureNode): string => {
    const [open, close] = SHAPES[node.kind];
    return `${ids.get(node.key) ?? ''}${open}${quoted(labelled(node))}${close}`;
  };
  const styledNodes = [
    ...[...nodes, ...boxes.flatMap((box) => box.nodes)].map(
      (node) => [ids.get(node.key) ?? '', classOf(node)] as const,
    ),
    ...boxes.map(({ state }, index) => [`b${index}`, state] as const),
  ];
  const classLines = Object.entries(CLASSES).flatMap(([name, style]) => {
    const members = styledNodes.filter(([, state]) => state === name).map(([id]) => id);
    return members.length === 0 ? [] : [`  classDef ${name} ${style}`, `  class ${members.join(',')} ${name}`];
  });
  return [
    `%% ${plain(title)}`,
    'flowchart LR',
    ...nodes.map((node) => `  ${nodeLine(node)}`),
    ...boxes.flatMap((box, index) => [
      `  subgraph b${index}[${quoted(labelled(box))}]`,
      ...box.nodes.map((node) => `    ${nodeLine(node)}`),
      '  end',
    ]),
    ...edges.map((edge) => edgeLine(edge, ids)),
    ...classLines,
    '',
  ].join('\n');
}
