import type { IntegerType, ListType, ValueType } from '../../annotation/value-type.ts';
import type { ValueWords } from '../../annotation/allowed-values.ts';
import type { FactWords } from '../annotation-facts.ts';

/** Joins alternatives to `a`, `a 或 b` or `a、b 或 c`. */
const choice = (values: readonly (string | number)[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join('、')} 或 ${values.at(-1) ?? ''}`;

const UNITS = { seconds: '秒', 'Mbit/s': 'Mbit/s', probes: '次' };

function rangeOf({ min, max, unit, also, alsoMeans }: IntegerType): string {
  const range = `${min} 到 ${max} 的整数${unit === undefined ? '' : `（${UNITS[unit]}）`}`;
  return also === undefined ? range : `${range}，或 ${choice(also)}（${alsoMeans ?? '有特殊含义'}）`;
}

const listOf = ({ values, description }: ListType): string =>
  `${values ? choice(values) : description}，或者以英文逗号分隔、不含空格的多项`;

const VALUES: ValueWords = {
  enum: ({ values, ignoresOthers }) => (ignoresOthers === true ? `${choice(values)}；其他取值不生效` : choice(values)),
  flag: () => 'on 或 off',
  boolean: () => 'true 或 false',
  present: () => 'true；任何文本的效果都相同',
  integer: rangeOf,
  text: ({ description }) => description,
  list: listOf,
  'protocol-ports': () =>
    '以英文逗号分隔、不含空格的列表，每项形如 https:443（tcp、udp、http 或 https，英文冒号，端口）',
  'port-pairs': () => '以英文逗号分隔、不含空格的列表，每项形如 80:443（HTTP 端口，英文冒号，HTTPS 端口）',
  'group-ports': () => '以英文逗号分隔、不含空格的列表，每项形如 rsp-bp1aaaa:80（虚拟服务器组 ID，英文冒号，端口）',
  'domain-certificates': () =>
    '以英文逗号分隔的列表，每项形如 *.example.com:1234_cn-hangzhou（域名，英文冒号，证书 ID）',
  labels: () => '以英文逗号分隔、不含空格的标签列表，例如 pool=edge',
  tags: () => '以英文逗号分隔的标签列表，最多 20 个，例如 team=shop',
};

/** The words for facts about annotations in Chinese. The function `factsOf` builds tables from these words. */
export const FACTS: FactWords = {
  headings: {
    values: '取值',
    default: '默认值',
    scope: '适用对象',
    change: '能否修改',
    reused: '对于复用的负载均衡实例',
    requires: '依赖',
    conflicts: '冲突',
    since: '起始版本',
  },
  separator: '；',
  choice,
  allowed: (type) => (VALUES[type.kind] as (type: ValueType) => string)(type),
  anyCase: '，不区分大小写',
  known: (values) => `已知取值：${values.join('、')}`,
  onlyOn: (value, protocols) => `${value} 仅限 ${choice(protocols)}`,
  older: (values) => `${values.join('、')} 仅限较早的负载均衡实例`,
  units: { seconds: ' 秒', 'Mbit/s': ' Mbit/s', probes: '' },
  cloudDefault: (value, others) =>
    `云平台的默认值为 ${[value, ...others.map(([protocol, other]) => `${protocol} 监听为 ${other}`)].join('，')}`,
  bothDefaults: (ours, cloud) => `${ours}（${cloud}）`,
  noValue: '不指定',
  scopes: {
    selection: '控制器的选择',
    'load-balancer': '负载均衡实例',
    status: 'Service 的状态',
    listener: '所有协议的监听',
    'server-group': '虚拟服务器组',
    backend: '后端',
  },
  listeners: (protocols) => `${protocols.join('、')} 监听`,
  changes: {
    'create-only': '否，仅在创建负载均衡实例时生效；之后的修改会被拒绝',
    'create-only-unchecked': '否，仅在创建负载均衡实例时生效；之后的修改不生效',
    updatable: '是，原地修改',
    'updatable-if': '是，原地修改',
    recreates: '是，但流量会中断',
    fixed: '否',
  },
  because: (text, reason) => `${text}：${reason}`,
  onReused: {
    applied: '生效，与自有实例相同',
    'must-match': '必须与负载均衡实例的实际值一致',
    'if-overriding': '仅在设置了 force-override-listeners: "true" 时生效',
    ignored: '不生效',
    only: '仅对复用的实例生效，对自有实例不生效',
  },
  relation: ({ name, values, when, listeners, outcome }) =>
    [
      when === undefined ? '' : `取值为 ${when} 时：`,
      name,
      values === undefined ? '' : ` 为 ${values}`,
      `（${listeners === undefined ? '' : `仅 ${listeners} 监听，`}${outcome}）`,
    ].join(''),
  otherwise: { denied: '否则被拒绝', 'no-effect': '否则不生效', chosen: '否则自动选择' },
  collision: { denied: '被拒绝', 'no-effect': '不生效', chosen: '自动选择' },
  since: (release) => `阿里云 Cloud Controller Manager ${release}`,
};
