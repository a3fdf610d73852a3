import assert from 'node:assert/strict';
import { dot } from '../../../src/graph/dot.ts';
import { mermaid } from '../../../src/graph/mermaid.ts';
import { wrapped, type Picture, type PictureNode } from '../../../src/graph/picture.ts';

const node = (key: string, over: Partial<PictureNode> = {}): PictureNode => ({
  key,
  kind: 'port',
  state: 'unchanged',
  lines: [key],
  ...over,
});
const PICTURE: Picture = {
  title: 'Service shop/web',
  nodes: [
    node('web', { kind: 'service', lines: ['Service shop/web', '47.0.0.1'] }),
    node('80'),
    node('i-1', { kind: 'backend', state: 'delete' }),
    node('c', { kind: 'certificate' }),
    node('why', { kind: 'problem', lines: ['blocked', 'a "quoted" <reason> #1 `x` \\ $y'] }),
  ],
  boxes: [
    {
      state: 'create',
      lines: ['load balancer', 'a1'],
      nodes: [node('l', { kind: 'listener', state: 'create' }), node('g', { kind: 'server-group', state: 'change' })],
    },
  ],
  edges: [
    { from: 'web', to: '80' },
    { from: 'l', to: 'g', label: 'redirects' },
    { from: 'l', to: 'c', isDashed: true },
    { from: 'l', to: 'why', isDashed: true, label: 'a.com' },
  ],
};

const MERMAID = `%% Service shop/web
flowchart LR
  n0(["Service shop/web<br/>47.0.0.1"])
  n1("80")
  n2("i-1 (to delete)")
  n3[/"c"/]
  n4{{"blocked<br/>a #34;quoted#34; #60;reason#62; #35;1 #96;x#96; #92; #36;y"}}
  subgraph b0["load balancer (to create)<br/>a1"]
    n5["l (to create)"]
    n6[["g (to change)"]]
  end
  n0 --> n1
  n5 -- "redirects" --> n6
  n5 -.-> n3
  n5 -. "a.com" .-> n4
  classDef create stroke:#1a7f37,color:#1a7f37,stroke-dasharray:4
  class n5,b0 create
  classDef change stroke:#9a6700,color:#9a6700
  class n6 change
  classDef delete stroke:#cf222e,color:#cf222e,stroke-dasharray:4
  class n2 delete
  classDef problem stroke:#cf222e,color:#cf222e,stroke-width:2px
  class n4 problem
`;

const DOT = `digraph "Service shop/web" {
  rankdir=LR;
  n0 [label="Service shop/web\\n47.0.0.1", shape="oval"];
  n1 [label="80", shape="box"];
  n2 [label="i-1 (to delete)", shape="box", color="#cf222e", fontcolor="#cf222e", style="dashed"];
  n3 [label="c", shape="note"];
  n4 [label="blocked\\na \\"quoted\\" <reason> #1 \`x\` \\\\ $y", shape="octagon", color="#cf222e", fontcolor="#cf222e"];
  subgraph cluster_0 {
    label="load balancer (to create)\\na1";
    color="#1a7f37";
    fontcolor="#1a7f37";
    style="dashed";
    n5 [label="l (to create)", shape="box", color="#1a7f37", fontcolor="#1a7f37", style="dashed"];
    n6 [label="g (to change)", shape="box3d", color="#9a6700", fontcolor="#9a6700"];
  }
  n0 -> n1;
  n5 -> n6 [label="redirects"];
  n5 -> n3 [style="dashed"];
  n5 -> n4 [label="a.com", style="dashed"];
}
`;

/** Other tools draw the output, so its syntax must be valid for any name. */
describe('the formats of a picture', () => {
  for (const [name, format, text] of [
    ['Mermaid', mermaid, MERMAID],
    ['Graphviz', dot, DOT],
  ] as const) {
    it(`${name} has nodes, boxes, arrows and states`, () => assert.equal(format(PICTURE), text));

    it(`${name} keeps characters that control a terminal out of labels`, () => {
      const text = format({ ...PICTURE, nodes: [node('a', { lines: ['x\u001b[31m\ny'] })], boxes: [], edges: [] });
      assert.ok(!text.includes('\u001b'));
      assert.equal(text.split('\n').filter((line) => line.includes('n0')).length, 1);
    });
  }

  it('break long texts at spaces', () => {
    const text = Array.from({ length: 30 }, () => 'word').join(' ');
    const lines = wrapped(text);
    assert.equal(lines.join(' '), text);
    assert.ok(lines.length === 3 && lines.every(({ length }) => length <= 60));
  });
});
