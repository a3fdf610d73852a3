import type { WELL_KNOWN, MarkKind } from '../../annotation/well-known-names.ts';
import type { MarkTexts } from '../translate.ts';

const FROM_CLOUD = '节点所用实例的属性。控制器会撤销对它的修改。';
const ANY = '任意，false 也生效';
const ZONE = '可用区 ID';
const REGION = '地域 ID';

/** The Chinese texts of labels, taints, tags and other names. `chinese.ts` replaces the English texts with these texts. */
export const MARKS: Readonly<Record<keyof typeof WELL_KNOWN, MarkTexts>> = {
  hash: {
    value: '56 位十六进制数字',
    doc: '阿里云 Cloud Controller Manager 用于比较的哈希值。Portcullis 写入它，以便可以迁回。',
  },
  loadBalancerId: { value: '负载均衡实例的 ID', doc: 'Service 的负载均衡实例。随负载均衡实例一起移除。' },
  finalizer: { value: '无', doc: '在清理完成之前保留已删除的 Service。不要移除它：否则负载均衡实例可能成为遗留资源。' },
  nlbFinalizer: { value: '无', doc: 'NLB 控制器的 Finalizer。Portcullis 不修改它。' },
  instanceType: { value: '实例规格', doc: FROM_CLOUD },
  instanceTypeBeta: { value: '实例规格', doc: FROM_CLOUD },
  zone: { value: ZONE, doc: FROM_CLOUD },
  zoneBeta: { value: ZONE, doc: FROM_CLOUD },
  region: { value: REGION, doc: FROM_CLOUD },
  regionBeta: { value: REGION, doc: FROM_CLOUD },
  chargeType: { value: 'PrePaid 或 PostPaid', doc: FROM_CLOUD },
  spotStrategy: { value: 'NoSpot、SpotWithPriceLimit 或 SpotAsPriceGo', doc: FROM_CLOUD },
  nodePool: { value: '节点池 ID', doc: FROM_CLOUD },
  excludeNode: {
    value: ANY,
    doc: '排除该节点。控制器只对它初始化一次，此后既不更新也不删除它。该节点不会成为后端，也没有路由。',
  },
  excludeNodeOld: {
    value: ANY,
    doc: '效果相同。Webhook 会添加当前的标签，并保留该标签，因为选择器可能用到它。',
  },
  excludeBackend: { value: ANY, doc: '该节点不会成为后端。控制器仍管理节点的其他方面。' },
  excludeBackendOld: { value: ANY, doc: '效果相同。' },
  master: {
    value: '任意',
    doc: '该节点永远不会成为后端。`node-role.kubernetes.io/control-plane` 没有这种效果。',
  },
  virtual: {
    value: 'virtual-kubelet',
    doc: '表示虚拟节点。它是否就绪没有影响，其上的 Pod 通过弹性网卡成为后端。',
  },
  autoscaler: {
    value: '任意，任何 effect 均可',
    doc: '集群自动伸缩组件即将删除该节点。该节点不再是后端。',
  },
  uninitialized: {
    value: 'true，NoSchedule',
    doc: '节点尚未初始化。控制器设置地址、标签和 provider ID 之后移除该污点。',
  },
  hybrid: {
    value: 'spec.providerID 的前缀',
    doc: '表示云外节点，其处理方式与带有排除标签的节点相同。',
  },
  owner: {
    value: '负载均衡实例的默认名称：`a` 加上其 Service 的 UID',
    doc: '标识自有的负载均衡实例及其 Service。带有该标签的实例不能复用。',
  },
  cluster: {
    value: '集群 ID',
    doc: '负载均衡实例所属的集群。如果没有 `kubernetes.do.not.delete`，则该实例为 API Server 提供服务。带有该标签的实例不能复用。',
  },
  reused: {
    value: 'true',
    doc: '标识被 Service 复用的负载均衡实例。删除 Service 之后，该标签保留。已有十个或更多标签的实例不会得到该标签。',
  },
  system: { value: '任意', doc: '云平台的标签。控制器从不修改它们。' },
  readiness: {
    value: 'True（ServerRegistered）或 False（ServerInvalidServer）；后缀为 Service 的名称',
    doc: 'Pod 是 Service 的后端时为 True。只在具有该就绪门控的 Pod 上设置。',
  },
};

/** The headings of the kinds of names in Chinese. */
export const MARK_KINDS: Readonly<Record<MarkKind, string>> = {
  'service-label': 'Service 的标签',
  finalizer: 'Service 的 Finalizer',
  'node-label': '节点的标签',
  'node-taint': '节点的污点',
  'provider-id': '节点的 provider ID',
  'cloud-tag': '负载均衡实例的标签',
  'pod-condition': 'Pod 的状况',
};
