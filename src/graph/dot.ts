import { plain } from '../rules/engine/safe-text.ts';
import {
  identifiers,
  labelled,
  type PictureNodeKind,
  type PictureState,
  type Picture,
  type PictureEdge,
  type PictureNode,
} from './picture.ts';

const SHAPES: Readonly<Record<PictureNodeKind, string>> = {
  service: 'oval',
  port: 'box',
  listener: 'box',
  'server-group': 'box3d',
  backend: 'box',
  certificate: 'note',
  problem: 'octagon',
};

type Attributes = Readonly<Record<string, string>>;

const COLORS: Readonly<Record<PictureState | 'problem', Attributes>> = {
  unchanged: {},
  create: { color: '#1a7f37', fontcolor: '#1a7f37', style: 'dashed' },
  change: { color: '#9a6700', fontcolor: '#9a6700' },
  delete: { color: '#cf222e', fontcolor: '#cf222e', style: 'dashed' },
  blocked: { color: '#57606a', fontcolor: '#57606a', style: 'dashed' },
  problem: { color: '#cf222e', fontcolor: '#cf222e' },
};

const quoted = (lines: readonly string[]): string =>
  `"${lines.map((line) => plain(line).replaceAll(/["\\]/g, (character) => `\\${character}`)).join('\\n')}"`;

const written = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');

function edgeLine({ from, to, label, isDashed = false }: PictureEdge, ids: ReadonlyMap<string, string>): string {
  const attributes = [
    ...(label === undefined ? [] : [`label=${quoted([label])}`]),
    ...(isDashed ? ['style="dashed"'] : []),
  ];
  const end = attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`;
  return `  ${ids.get(from) ?? ''} -> ${ids.get(to) ?? ''}${end};`;
}

/** Returns the picture in the language dot of Graphviz, for `portcullis graph --output dot`. */
export function dot(picture: Picture): string {
  const { title, boxes, nodes, edges } = picture;
  const ids = identifiers(picture);
  const nodeLine = (node: PictureNode): string => {
    const style = { shape: SHAPES[node.kind], ...COLORS[node.kind === 'problem' ? 'problem' : node.state] };
    return `${ids.get(node.key) ?? ''} [label=${quoted(labelled(node))}, ${written(style)}];`;
  };
  return [
    `digraph ${quoted([title])} {`,
    '  rankdir=LR;',
    ...nodes.map((node) => `  ${nodeLine(node)}`),
    ...boxes.flatMap((box, index) => [
      `  subgraph cluster_${index} {`,
      `    label=${quoted(labelled(box))};`,
      ...Object.entries(COLORS[box.state]).map(([name, value]) => `    ${name}="${value}";`),
      ...box.nodes.map((node) => `    ${nodeLine(node)}`),
      '  }',
    ]),
    ...edges.map((edge) => edgeLine(edge, ids)),
    '}',
    '',
  ].join('\n');
}
