import type { Language } from '../language-texts.ts';
import { translator } from '../translate.ts';
import { FACTS } from './annotation-words.ts';
import { ANNOTATIONS } from './annotations.ts';
import { MARK_KINDS, MARKS } from './well-known-names.ts';
import { ANNOTATIONS_PAGE, RULES_PAGE } from './reference-pages.ts';
import { RULES } from './rules.ts';

/** The Chinese texts of `portcullis explain --lang zh`, of `portcullis rules --lang zh`, and of the reference pages in `docs/zh`. */
export const CHINESE: Language = {
  facts: FACTS,
  annotationsPage: ANNOTATIONS_PAGE,
  rules: {
    headings: {
      tier: '级别',
      objects: '适用对象',
      tunable: '能否调整',
      requires: '依赖',
      metric: '指标',
      since: '起始版本',
      before: '已存储的内容',
      wrong: '错误示例',
      right: '正确示例',
    },
    tiers: {
      safety: 'safety：保护其他 Service、集群和租户；不可调整，没有例外',
      hygiene: 'hygiene：防止对象中的错误',
      lint: 'lint：只由 portcullis lint 检查',
    },
    objects: { Service: 'Service', Node: '节点', any: '清单' },
    tunable: {
      lint: '否，从不在集群中执行',
      yes: '是，策略可以设置其模式',
      warnsOnly: '否，只发出警告',
      no: '否',
    },
    inventory: '资源目录；portcullis lint 只在使用 --facts 时执行该规则',
    wrongIf: (state) => `错误示例（${state}）`,
  },
  rulesPage: RULES_PAGE,
  marks: {
    kinds: MARK_KINDS,
    writers: { controller: '控制器', user: '用户', cluster: '集群', cloud: '云平台' },
    headings: { kind: '类别', values: '取值', writer: '写入者', since: '起始版本', deprecated: '已弃用' },
    since: (release) => `阿里云 Cloud Controller Manager ${release}`,
    use: (replacement) => `请使用 ${replacement}`,
  },
  text: { family: '分类', option: '选项', example: '示例', rules: '规则' },
  rulesTable: ['名称', '级别', '对象', '用途'],
  translate: translator({
    annotations: ANNOTATIONS,
    families: ANNOTATIONS_PAGE.families,
    rules: RULES,
    marks: MARKS,
  }),
};
