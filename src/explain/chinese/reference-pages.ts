import { ANNOTATION_BYTES } from '../../annotation/cached-annotation-truncation.ts';
import { GROUP } from '../../annotation/keys.ts';
import { LONGEST_VALUE } from '../../annotation/value-readers.ts';
import type { AnnotationsPageWords, RulesPageWords } from '../language-texts.ts';

const ANNOTATIONS_INTRODUCTION = `<!-- Generated from src/annotation and src/explain/chinese by \`make generate\`. Change them, not this page. -->

# 注解、标签、污点和云标签

本页面向编写 Service 的用户，列出 \`type: LoadBalancer\` 的 Service 的所有注解，以及 Portcullis 读取或写入的[标签、污点、云标签及其他名称](#标签污点云标签及其他名称)。\`portcullis explain --lang zh KEY\` 打印本页中的一节。

注解的读取方式：

- 除非某一节另有说明，键以 \`${GROUP}alibaba-cloud-loadbalancer-\` 开头。
- 弃用的写法效果相同。Webhook 会存储当前的键，以替代它们或与它们并存，并发出警告，请参见[重命名弃用的键](../tasks/troubleshoot.md#重命名弃用的键)。如果设置了当前的键（即使取值为空），弃用的写法不生效。
- 空值与没有设置注解的效果相同。
- 取值是文本。在 YAML 中，数字、\`true\` 和 \`on\` 需要加引号。除非某一节另有说明，取值区分大小写。
- 取值最多 ${LONGEST_VALUE} 个字符。如果因全角字符（\`：，１\`）被拒绝，拒绝信息会给出正确的字符。
- 一个 Service 中由 Portcullis 读取的所有注解，合计最多 ${ANNOTATION_BYTES} 字节。超出时 Webhook 会拒绝，控制器也不会同步该 Service。每个注解计为 32 字节，再加上取值的每个字符一个字节；如果取值含有 Latin-1 以外的字符，则每个字符计为两个字节。
- 带有上述前缀但不在本页中的键不生效。Webhook 会拒绝它，并提示最相近的键。
- 以其他写法书写的本页中的键（\`Backend_Type\`、\`alibabaCloudLoadBalancer…\`、斜杠前为其他域名）不生效。警告会给出正确的键。
- 删除生效中的注解后，对应的属性恢复为新建负载均衡实例时的值。例外情况请参见[删除注解后效果仍在](../tasks/troubleshoot.md#删除注解后效果仍在)。`;

const OBSOLETE = `## 不生效的键

- \`loadbalancer-region\`，阿里云 Cloud Controller Manager 在 v2.0 之前读取它。
- 只有网络型负载均衡 NLB 的控制器才读取的键。对于使用传统型负载均衡 CLB 的 Service，Portcullis 对这些键发出警告；对于由该控制器管理的 Service，Portcullis 忽略这些键。
- 以 \`private-zone-\` 开头的键，属于另一个控制器。`;

/** The words for `docs/zh/reference/annotations.md` in Chinese. `annotationsPage` builds the page. */
export const ANNOTATIONS_PAGE: AnnotationsPageWords = {
  introduction: ANNOTATIONS_INTRODUCTION,
  count: (annotations) => `共 ${annotations} 个注解：`,
  otherNames: '其他名称',
  deprecatedForms: '弃用的写法',
  families: {
    'The load balancer': { title: '负载均衡实例', doc: '负载均衡实例的身份、名称和保护设置。' },
    Address: { title: '地址', doc: '负载均衡实例的地址，以及在 Service 状态中发布的内容。' },
    Billing: { title: '计费', doc: '负载均衡实例的计费方式。' },
    Listeners: { title: '监听', doc: '这些注解作用于 Service 的每个端口。删除注解后，监听恢复为该注解的默认值。' },
    'HTTP and HTTPS listeners': {
      title: 'HTTP 和 HTTPS 监听',
      doc: '这些注解作用于由 `protocol-port` 设为 http 或 https 的端口。',
    },
    'Health checks': { title: '健康检查', doc: '后端的健康检查。' },
    'Server groups and backends': { title: '虚拟服务器组和后端', doc: 'Service 的后端及其权重。' },
    'Other controllers': { title: '其他控制器', doc: '这些注解把 Service 交给其他控制器。' },
  },
  obsolete: OBSOLETE,
  marks: {
    title: '标签、污点、云标签及其他名称',
    doc: '不要修改由控制器写入的名称：控制器通过它们查找属于 Service 的资源。',
  },
  columns: ['名称', '取值', '写入者', '含义'],
  deprecatedMark: (replacement) => `已弃用，请使用 ${replacement}。`,
};

const RULES_INTRODUCTION = `<!-- Generated from src/rules and src/explain/chinese by \`make generate\`. Change them, not this page. -->

# 规则

Webhook 在 \`kubectl apply\` 时执行这些规则，控制器在修改云资源之前再次执行。\`portcullis lint\` 不需要集群即可执行。\`portcullis explain --lang zh RULE\` 打印本页中的一节。\`portcullis rules --lang zh\` 列出规则。

规则的应用方式：

- 所有规则都会执行，响应包含所有违规。每个违规都指明字段、取值、必须满足的条件，以及处理办法。
- 只有新的违规会被拒绝。已存储的对象也有的违规，只会收到警告。如果某次变更使原本不生效的取值开始生效，则该取值的违规是新的违规。
- 如果更新既没有修改 spec 也没有修改注解，则所有违规都只会收到警告，除非该更新添加了控制器的 Finalizer。删除操作永远不会被拒绝。
- 节点的注册，以及 kubelet 或控制面对节点的修改，永远不会被拒绝：这些客户端不会显示原因。
- 建议只会产生警告，不受策略设置的影响：对象可以工作，但可能与作者的预期不符。
- 有些违规只拒绝请求，例如注解 \`vgroup-port\` 的某一项指定了 Service 没有的端口。对于已存储且有这种违规的 Service，控制器照常同步。
- 如果 Portcullis 的资源目录（\`kubectl get clb\`）过旧，找不到负载均衡实例只会收到警告。已知受保护的负载均衡实例仍会被拒绝。
- 示例只显示清单的一部分，其余字段可以是任意有效 Service 或节点的字段。`;

/** The words for `docs/zh/reference/rules.md` in Chinese. `rulesPage` builds the page. */
export const RULES_PAGE: RulesPageWords = {
  introduction: RULES_INTRODUCTION,
  count: (rules) => `共 ${rules} 条规则：`,
  groups: {
    safety: '安全规则',
    services: 'Service 的规则',
    nodes: '节点的规则',
    lint: 'lint 的附加检查',
  },
  fullStop: '。',
  colon: '：',
};
