import type { OptionName } from '../../annotation/catalogue.ts';
import type { AnnotationTexts } from '../translate.ts';

const ZONE = '可用区 ID，例如 cn-hangzhou-b';
const OURS = '由 Portcullis 管理该 Service';
const LEFT_BEHIND = 'Service 已有的负载均衡实例会成为遗留资源；请改为新建一个 Service';
const WHILE_ACL_IS_ON = '仅当 acl-status 为 on 时';

/** The texts of annotations for load balancers, addresses, billing and other controllers. */
const LOAD_BALANCER = {
  id: {
    doc: '复用已有的负载均衡实例，而不是新建。该实例不会随 Service 删除。集群为 Service 创建的实例，以及为 API Server 提供服务的实例，均不能复用。',
    value: '一个负载均衡实例的 ID，例如 lb-bp1hfycf39bbeb019pg7m',
    absent: '新建负载均衡实例，归该 Service 所有，并随其删除',
    reason: 'Service 的地址会随之改变；请新建一个 Service，把流量切换过去，再删除当前 Service',
  },
  forceOverrideListeners: {
    doc: '管理所复用负载均衡实例的监听。设为 `true` 时，缺少的监听会被创建；如果端口已被用户管理的监听占用，则等到该监听删除后再创建。不设置该注解时只同步虚拟服务器组；此前因该注解创建的监听，会随其端口一起删除。',
  },
  name: {
    doc: '负载均衡实例在控制台中的名称。以字母开头，由字母、数字、`.`、`_` 和 `-` 组成且不超过 80 个字符的名称，在任何地域都可用。名称可以重复。',
    value: '1 到 128 个字符的名称，不以 http:// 或 https:// 开头',
    absent: '`a` 加上去掉短横线的 Service UID，截取前 32 个字符',
  },
  resourceGroupId: {
    doc: '新建负载均衡实例所属的资源组。',
    value: '资源组 ID，例如 rg-acfmxazb4ph6aiy',
    absent: '集群的资源组；如果没有，则为账号的默认资源组',
  },
  additionalResourceTags: {
    doc: '负载均衡实例的标签。对于自有实例，其他标签都会被移除，删除该注解时也是如此。对于复用的实例，标签只添加，不移除。控制器和云平台的标签始终保留。',
  },
  deleteProtection: {
    doc: '防止负载均衡实例在控制台中或通过 API 被误删。Service 仍然可以删除：控制器会先解除自有实例的删除保护。',
  },
  modificationProtection: {
    doc: '防止负载均衡实例在控制台中被修改。API 调用不受影响。',
  },
  preserveLbOnDelete: {
    doc: '删除 Service 时保留自有的负载均衡实例。实例的地址、监听和虚拟服务器组保留，该 Service 的后端会被移除。任何取值的效果都相同；设为 `false` 会收到警告，请改为删除该注解。',
    absent: '自有负载均衡实例随 Service 一起删除',
  },
  addressType: {
    doc: '地址类型。internet：公网。intranet：仅可在 VPC 内访问。',
  },
  vswitchId: {
    doc: '地址所在的交换机，必须属于集群的 VPC。',
    value: '交换机 ID，例如 vsw-bp12mw1f8k3jgygk9bmlj',
    absent: '地址类型为 intranet 时，使用集群的某个交换机',
  },
  ip: {
    doc: '新建负载均衡实例的 IP 地址。请同时把 `vswitch-id` 设为该地址所在的交换机。',
    value: '交换机网段内的 IPv4 地址，例如 192.168.10.35',
    absent: '由云平台分配',
  },
  ipVersion: {
    doc: '新建负载均衡实例的 IP 版本。复用的实例保持原有的 IP 版本。阿里云 Cloud Controller Manager 只有在本注解为 ipv6 时才会复用 IPv6 实例。设为 ipv6 且以节点作为后端时，kube-proxy 需要使用 IPVS 模式。',
  },
  networkType: {
    doc: '负载均衡实例的网络类型。设为 `classic` 时，实例不需要交换机。',
  },
  masterZoneid: {
    doc: '主可用区，正常情况下由它承载流量。没有主备可用区的地域会忽略该注解。',
    value: ZONE,
    absent: '由云平台选择',
  },
  slaveZoneid: {
    doc: '备可用区，主可用区故障时由它承载流量。',
    value: ZONE,
    absent: '由云平台选择',
  },
  externalIpType: {
    doc: '在 Service 的状态中发布负载均衡实例所绑定的弹性公网 IP，而不是实例自身的地址。只有私网实例才能绑定弹性公网 IP。',
    absent: '负载均衡实例自身的地址',
  },
  hostname: {
    doc: '在 Service 的状态中发布该域名，而不是地址。',
    value: '小写的 DNS 域名，不能是 IP 地址，例如 www.example.com',
  },
  instanceChargeType: {
    doc: '负载均衡实例的计费方式：按规格计费，或按使用量计费。2025-08 之前的版本请求 PayBySpec。',
    reason: '云平台只支持从 PayBySpec 变更为 PayByCLCU，不支持反向变更',
  },
  spec: {
    doc: '实例规格，决定负载均衡实例的连接数和每秒查询数上限。',
    value: '实例规格，例如 slb.s2.small',
    absent: '计费方式为 PayBySpec 时为 slb.s1.small，否则没有规格',
    reason: '仅当负载均衡实例按规格计费时',
  },
  chargeType: {
    doc: '公网流量的计费方式：按流量计费，或按带宽计费。设为 paybybandwidth 时，没有设置 instance-charge-type 的新建实例为 PayBySpec。',
    reason: '仅限公网地址；变更为 paybytraffic 在次日生效',
  },
  bandwidth: {
    doc: '公网带宽峰值，由所有监听共享。上限因地域而异。创建之后最高可改为 5000。',
    reason: '仅当 charge-type 为 paybybandwidth 时',
  },
  class: {
    doc: '把该 Service 交给其他控制器。任何取值的效果都相同。',
    value: '其他控制器的名称',
    absent: OURS,
    reason: LEFT_BEHIND,
  },
  type: {
    doc: '请求网络型负载均衡 NLB，由其他控制器管理。`spec.loadBalancerClass: "alibabacloud.com/nlb"` 更可靠，因为它不依赖特性门控。其他取值不生效。',
    absent: '传统型负载均衡 CLB',
    reason: LEFT_BEHIND,
    since: '2024-05，需要开启特性门控',
  },
  tunnelType: {
    doc: '把该 Service 交给其他产品，因此 Portcullis 不管理它。有这个键即可，不需要取值。',
    absent: OURS,
    reason: LEFT_BEHIND,
  },
} as const satisfies Partial<Record<OptionName, AnnotationTexts>>;

/** The texts of annotations for listeners and backends. */
const LISTENER = {
  protocolPort: {
    doc: '每个端口的监听协议。Service 的 TCP 端口可以设为 tcp、http 或 https。没有列出的端口保持自己的协议。',
    absent: 'Service 各端口自己的协议',
    reason: '协议改变的端口会得到新的监听',
  },
  scheduler: {
    doc: '调度算法。rr：轮询。wrr：加权轮询。wlc：加权最小连接数。sch：源 IP 一致性哈希。tch：四元组一致性哈希，即源和目的的地址与端口。qch：QUIC 连接 ID 一致性哈希。按 Pod 数量分配权重（`externalTrafficPolicy: Local`）需要 wrr 或 wlc；此时如果不设置该注解，新建监听使用 wrr，使用 rr 的监听会在 Service 或其后端下次变化时改为 wrr。',
    reason: '不能改为 sch、tch 或 qch，监听只能在创建时使用它们',
  },
  listenerBandwidth: {
    doc: '每个监听的带宽峰值。这是传统型负载均衡 CLB 的监听唯一支持的限速方式。如果负载均衡实例按带宽计费，所有监听的带宽之和不能超过实例的带宽。',
    absent: '除负载均衡实例的带宽外没有限制',
  },
  persistenceTimeout: {
    doc: '会话保持的时长，在此期间同一客户端的连接会转发到同一个后端。设为 0 表示关闭会话保持。',
  },
  establishedTimeout: { doc: '已建立连接的空闲超时时间。' },
  proxyProtocol: {
    doc: '通过 PROXY protocol v2 把客户端地址传递给后端。后端必须支持 PROXY protocol。',
  },
  connectionDrain: {
    doc: '连接优雅中断：后端被移除或不健康时，已有连接保持到自行结束。',
  },
  connectionDrainTimeout: {
    doc: '连接优雅中断的最长时间。',
    reason: '仅当 connection-drain 为 on 时',
  },
  aclStatus: { doc: '通过访问控制策略组限制访问。' },
  aclId: {
    doc: '访问控制策略组。部分地域支持多个策略组，其顺序没有影响。',
    value: '访问控制策略组 ID，例如 acl-bp1l0kk4gxce43k6rxeb',
    reason: WHILE_ACL_IS_ON,
  },
  aclType: {
    doc: '策略组的类型。white：白名单，只允许其中的客户端访问。black：黑名单，禁止其中的客户端访问。空的白名单允许所有客户端访问。',
    reason: WHILE_ACL_IS_ON,
  },
  certId: {
    doc: 'HTTPS 监听的证书。https 端口必须有证书。',
    value: '证书 ID，例如 1234567890123456_16c96c01_cn-hangzhou',
  },
  domainExtensions: {
    doc: 'HTTPS 监听的扩展域名证书，根据客户端请求的服务器名称选择。其他扩展域名都会被移除。不设置该注解时，用户添加的扩展域名保留。',
  },
  forwardPort: {
    doc: '把 HTTP 端口重定向到同一负载均衡实例的 HTTPS 端口。',
    reason: 'HTTP 监听会被删除并重新创建',
  },
  http2Enabled: { doc: '允许使用 HTTP/2。' },
  tlsCipherPolicy: {
    doc: '监听的 TLS 版本和加密套件。',
    value: 'TLS 安全策略，例如 tls_cipher_policy_1_2，或自定义策略的 ID（tls-…）',
  },
  idleTimeout: { doc: '连接的空闲超时时间。' },
  requestTimeout: { doc: '等待后端响应的最长时间。超时后，客户端收到 504。' },
  stickySession: { doc: '会话保持：通过 Cookie 把同一客户端的请求转发到同一个后端。' },
  stickySessionType: {
    doc: 'Cookie 的处理方式。insert：植入 Cookie，由负载均衡实例设置。server：重写 Cookie，由负载均衡实例重写后端的 Cookie。',
  },
  cookieTimeout: { doc: '所植入 Cookie 的有效期。' },
  cookie: {
    doc: '后端的 Cookie 名称。',
    value: '1 到 200 个字符的 Cookie 名称，由字母、数字、_ 和 - 组成',
  },
  xforwardedforProto: { doc: '添加请求头 `X-Forwarded-Proto`，其值为监听协议。' },
  xforwardedforSlbport: { doc: '添加请求头 `SLB-Port`，其值为监听端口。' },
  xforwardedforClientsrcport: { doc: '添加请求头 `X-Forwarded-Client-srcport`，其值为客户端的源端口。' },
  healthCheckFlag: {
    doc: '开启 HTTP 和 HTTPS 监听的健康检查。TCP 和 UDP 监听请使用 `health-check-switch`。',
  },
  healthCheckSwitch: {
    doc: '开启 TCP 和 UDP 监听的健康检查。HTTP 和 HTTPS 监听请使用 `health-check-flag`。',
  },
  healthCheckType: { doc: 'TCP 监听的健康检查方式：TCP 连接或 HTTP 请求。' },
  healthCheckUri: {
    doc: 'HTTP 健康检查的路径。云平台不接受单独的斜杠；没有设置路径时检查根路径。云平台无法清除路径，因此删除该注解后路径保留。',
    value: '以 / 开头的路径，2 到 80 个字符，由字母、数字和 - / . % ? # & 组成',
  },
  healthCheckConnectPort: { doc: '健康检查的端口。', alsoMeans: '后端自己的端口' },
  healthyThreshold: { doc: '连续多少次健康检查成功后，后端变为健康。' },
  unhealthyThreshold: { doc: '连续多少次健康检查失败后，后端变为不健康。' },
  healthCheckInterval: { doc: '健康检查的间隔时间。' },
  healthCheckConnectTimeout: {
    doc: 'TCP 或 UDP 监听健康检查的超时时间。如果间隔时间更长，则以间隔时间为准。',
  },
  healthCheckTimeout: {
    doc: 'HTTP 或 HTTPS 监听健康检查的超时时间。如果间隔时间更长，则以间隔时间为准。',
  },
  healthCheckDomain: {
    doc: 'HTTP 健康检查的域名。',
    value: '$_ip 表示后端的地址；或者 1 到 80 个字符的域名，由字母、数字、点和短横线组成',
  },
  healthCheckHttpcode: { doc: '视为健康的 HTTP 状态码。', value: '一类状态码' },
  healthCheckMethod: { doc: 'HTTP 健康检查的请求方法。' },
  backendType: {
    doc: '后端类型。eni：Pod，通过其弹性网卡。ecs：ECS 实例的节点端口。使用 eni 时，`externalTrafficPolicy` 不生效。',
    absent: '集群的默认值，通常为 ecs',
    reason: '先创建新的虚拟服务器组，把监听切换过去，再删除旧的虚拟服务器组',
  },
  backendLabel: { doc: '只有具备全部这些标签的节点才会成为后端。', absent: '所有节点' },
  removeUnscheduledBackend: { doc: '从后端中移除不可调度的节点（`kubectl cordon`）。' },
  backendIpVersion: { doc: '后端的 IP 版本。' },
  vgroupPort: {
    doc: '把端口的后端注册到所复用负载均衡实例的虚拟服务器组，该虚拟服务器组由用户管理。组内其他成员保留，虚拟服务器组不会被删除。',
    absent: '每个端口使用各自的虚拟服务器组',
  },
  weight: {
    doc: '该 Service 的全部后端在其每个虚拟服务器组中合计所占的权重。设为 0 时，后端不再接收新连接。',
    absent: '按 Pod 数量分配的权重，或 default-weight',
  },
  defaultWeight: {
    doc: '后端的权重。使用 `externalTrafficPolicy: Local` 时，权重由 Pod 数量决定。',
  },
  ignoreWeightUpdate: {
    doc: '保留已有后端的权重，以便由用户设置。新增的后端使用计算得出的权重。',
  },
} as const satisfies Partial<Record<OptionName, AnnotationTexts>>;

/** The Chinese texts of annotations. `chinese.ts` replaces the English texts of the catalogue with these texts. */
export const ANNOTATIONS: Readonly<Record<OptionName, AnnotationTexts>> = { ...LOAD_BALANCER, ...LISTENER };
