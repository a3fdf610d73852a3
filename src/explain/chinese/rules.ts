import type { RuleTexts } from '../translate.ts';

const SHARED = 'lb-1 由用户管理，且另一命名空间的 Service 在其上有监听';

/** The Chinese texts of rules, by name. `chinese.ts` replaces the English texts of the rules with these texts. */
export const RULES: Readonly<Record<string, RuleTexts>> = {
  'protected-load-balancer': {
    doc: 'Service 不得复用集群 API Server 的负载均衡实例。在该实例上的任何失误，都会使集群无法访问。',
    cloud: 'lb-1 为集群的 API Server 提供服务',
  },
  'foreign-load-balancer': {
    doc: 'Service 只能复用由用户管理的负载均衡实例。控制器为某个 Service（无论属于本集群还是其他集群）创建的实例，会随那个 Service 一起删除。',
    cloud: 'lb-1 是为其他集群的 Service 创建的，lb-2 是在控制台中创建的',
  },
  'server-group-namespace': {
    doc: '由用户管理的虚拟服务器组只为一个命名空间的 Service 提供服务：否则另一命名空间的后端会分走它的流量。该组属于最早在 vgroup-port 中指定它的 Service 所在的命名空间。Webhook 不可用时，控制器会阻止对该组的变更，并同步 Service 的其余部分。',
    cloud: 'Service payments/pay 指定了 lb-1 的虚拟服务器组 rsp-1',
  },
  'load-balancer-change': {
    doc: '在 Finalizer 移除之前，Service 始终使用为其提供服务的负载均衡实例。注解 id 不能改为另一个实例；指定用户管理的实例时，该注解也不能删除。任何时候都可以把它改回为该 Service 提供服务的实例。如果资源目录无法确定是哪个实例，则只对变更发出警告。',
    cloud: 'lb-1 的地址就是 Service 的地址，lb-2 是另一个地址',
  },
  'controller-change': {
    doc: '已有负载均衡实例的 Service 不能更换控制器，否则用户会失去原有地址，负载均衡实例也会成为遗留资源。如果修改 type 会删除负载均衡实例，该规则发出警告；如果同一次写入还移除了触发清理的 Finalizer，则拒绝该变更。',
  },
  'immutable-annotation': {
    doc: '只能在创建负载均衡实例时设置的属性，在 Service 拥有实例期间不能改变。如果从使用私网实例的 Service 上删除 address-type，该规则发出警告，实例仍为私网。实例是公网还是私网，由资源目录确定，或者由绑定或状态中的私网地址确定。如果都无法确定，修改 address-type 只会收到警告。',
    cloud: 'lb-1 是为该 Service 创建的私网实例',
  },
  'one-way-change': {
    doc: '有些变更，云平台只支持单向进行。该规则拒绝反向变更，例如从 PayByCLCU 变更为 PayBySpec，或从其他调度算法变更为一致性哈希（sch、tch、qch）。该规则也检查 Service 在所复用实例上的监听。对于无法撤销的变更，该规则发出警告。',
  },
  'annotation-value': {
    doc: '注解取值的类型、范围和格式正确。该规则拒绝云平台之后会拒绝的取值。',
  },
  'unknown-annotation': {
    doc: '带有本控制器前缀的注解键都必须是已知的键。拼错的键不会生效；如果它原本用于限制访问，就会带来危险。对于已存储且含有未知键的 Service，控制器照常同步。以其他写法书写的已知键（例如 Backend_Type）只会收到警告。',
  },
  'nlb-annotation': {
    doc: '如果使用传统型负载均衡 CLB 的 Service 带有网络型负载均衡 NLB 的注解，该规则发出警告。这些注解在此不生效，也可能是遗漏了 spec.loadBalancerClass alibabacloud.com/nlb。对于注解 type，该规则同样发出警告，因为只有开启特性门控后它才会请求 NLB。',
  },
  'annotation-combination': {
    doc: '相互依赖的注解要一起设置，并且不能互相矛盾。例如：访问控制与策略组，会话保持与 Cookie，地址与网络，调度算法与协议。否则云平台会拒绝创建负载均衡实例或监听。',
  },
  'annotation-effect': {
    doc: '对于在该 Service 上不生效的注解，该规则发出警告。这类注解或者只适用于其他协议，或者只适用于不受管理的监听，或者还需要另一个注解。例如：设置了访问控制策略组，却没有开启访问控制。',
  },
  'reserved-name': {
    doc: '负载均衡实例的名称不能是另一个 Service 的实例的默认名称：`a` 加上 UID 的 31 位数字。控制器会按该名称查找没有归属标签的实例，并随 Service 删除它们。',
  },
  'service-size': {
    doc: '一个 Service 最多有 100 个端口、64 个标签（总计 4096 字节），以及 12288 字节由 Portcullis 读取的注解。Portcullis 在内存中只保留这么多内容，不会同步超出限制的 Service。如果只有标签发生变化，该规则只发出警告。',
  },
  limits: {
    doc: '一个负载均衡实例最多有 20 个标签。控制器需要其中一到两个，复用的实例还有其他标签。如果实例按带宽计费，其监听的带宽之和不能超过实例的带宽。对于云平台可能拒绝的负载均衡实例、虚拟服务器组和监听的名称，以及数量超出监听通常上限的扩展域名，该规则发出警告。',
  },
  'listener-quota': {
    doc: '一个负载均衡实例最多有 50 个监听，Service 的每个端口对应一个监听。云平台会拒绝更多的监听。如果账号的配额更高，可以通过策略把该规则改为只发出警告。',
    cloud: 'lb-1 有 50 个用户的监听，端口从 9000 开始',
  },
  'protocol-port': {
    doc: '注解 protocol-port 的每一项都指定 Service 的一个端口，以及该端口支持的协议。每个端口只能有一项。https 监听必须有证书。',
  },
  'forward-port': {
    doc: '注解 forward-port 的每一项都把 Service 的一个 http 端口重定向到一个 https 端口。每个端口只能有一个重定向。云平台拒绝重定向到非 https 端口。控制器也不会从非 http 端口创建重定向。',
  },
  'vgroup-port': {
    doc: '注解 vgroup-port 的每一项都指定 Service 的一个端口。每个端口只能有一项。如果两个端口使用同一个虚拟服务器组，它会得到两个端口的后端，访问一个端口的客户端就会到达另一个端口的后端。',
    cloud: 'lb-1 由用户管理，在端口 80 上有监听，并有一个虚拟服务器组',
  },
  'backend-weight': {
    doc: '对于不生效的权重，该规则发出警告。只有调度算法 wrr 和 wlc 使用权重。注解 weight 作用于 vgroup-port 指定的虚拟服务器组。使用 externalTrafficPolicy Local 时，节点的权重等于其 Pod 数量。',
  },
  'port-protocol': { doc: '端口的协议只能是 TCP 或 UDP。传统型负载均衡 CLB 不转发其他协议。' },
  'target-port': {
    doc: 'targetPort 是 1 到 65535 的数字，或者容器端口的名称。如果以节点（ECS）作为后端，每个端口都需要节点端口。以 Pod（ENI）作为后端时不需要节点端口：流量直接到达 targetPort，控制器会为每个 Pod 解析其名称。',
  },
  'ignored-field': {
    doc: '对于传统型负载均衡 CLB 会忽略的 Service 字段，该规则发出警告，并指出替代方案。其中最危险的是 loadBalancerSourceRanges，它不会限制任何客户端。字段 externalIPs 可能截获本应发往其他主机的流量（CVE-2020-8554）。',
  },
  'public-address': {
    doc: '如果集群不允许公网负载均衡实例（disablePublicSLB），新建的 Service 必须把 address-type 设为 intranet，因为默认值是公网；复用的实例必须是私网实例。已有的公网实例保留。',
    cloud: '集群不允许公网负载均衡实例',
  },
  'reuse-existence': {
    doc: 'Service 复用的负载均衡实例必须存在于集群所在的地域。如果资源目录过旧或缺失，找不到该 ID 只会收到警告。',
    cloud: '该地域只有 lb-1',
  },
  'reuse-resource-group': {
    doc: '复用负载均衡实例的 Service，其注解 resource-group-id 必须是该实例所属的资源组。',
    cloud: 'lb-1 属于资源组 rg-network',
  },
  'reuse-network': {
    doc: '复用的私网负载均衡实例必须在集群的 VPC 中。云平台不会添加其他网络的后端。',
    cloud: 'lb-1 与集群不在同一个 VPC 中，lb-2 是公网实例',
  },
  'reuse-address': {
    doc: '注解 ip、address-type 和 ip-version 必须与所复用的负载均衡实例一致，因为控制器无法修改这些属性。',
    cloud: 'lb-1 是公网实例',
  },
  'reuse-listener': {
    doc: '在共享的负载均衡实例上，同一端口只能由一个设置了 force-override-listeners 的 Service 使用，并且该端口上没有其他监听。UDP 端口单独计算；TCP、HTTP 和 HTTPS 共用端口。没有设置该注解的 Service 不管理监听，可以使用相同的端口。如果负载均衡实例没有监听，该规则发出警告。',
    cloud: 'lb-1 在端口 80 上有用户的监听',
  },
  'reuse-attribute': {
    doc: '只有当其他命名空间的 Service 都不使用某个由用户管理的负载均衡实例时，Service 才能修改该实例的名称、规格、计费方式或保护设置；允许的修改会收到警告。Webhook 不可用时，控制器会阻止这类变更，并同步 Service 的其余部分。',
    cloud: SHARED,
  },
  'reuse-tags': {
    doc: '只有当其他命名空间的 Service 都不使用某个由用户管理的负载均衡实例时，Service 才能为该实例添加标签；新标签会收到警告，因为删除注解或 Service 之后标签仍会保留。实例上已有的标签不算变更。',
    cloud: SHARED,
  },
  'reuse-irreversible': {
    doc: 'Service 不能对由用户管理的负载均衡实例进行不可逆的变更：从 PayBySpec 变更为 PayByCLCU，或修改已有标签的值。即使 Service 已经存储，控制器也不会进行这类变更。',
    cloud: 'lb-1 由用户管理，并有标签 team=search',
  },
  'controller-metadata': {
    doc: '只有控制器可以写入它的标签和 Finalizer。对于用户的修改，该规则发出警告。Finalizer 被移除后，如果 Service 不再使用负载均衡实例，实例可能成为遗留资源。',
  },
  'provider-id': {
    doc: '节点的 provider ID 指明其地域和 ECS 实例，并且永不改变。对于本云之外的节点、虚拟节点和被排除的节点，该规则只检查 provider ID 是否改变。',
  },
  'pod-range': {
    doc: '节点的 Pod 网段必须位于集群的网段之内。控制器不会为网段之外的范围创建路由，其中的 Pod 无法访问。该规则对此发出警告。',
  },
  'exclude-label': {
    doc: '用于把节点排除在负载均衡之外的标签，无论取值如何都会生效。如果取值为 false，或者移除一个标签之后，另一个效果相同的标签仍然排除该节点，该规则发出警告。',
  },
  'node-label': {
    doc: '控制器根据云平台的信息设置实例的地域、可用区、实例规格和计费方式标签，并撤销与云平台不一致的修改。对于用户的修改，该规则发出警告。',
  },
  'manifest-syntax': {
    doc: '文件必须是可以读取的 YAML 或 JSON，且同一个映射中没有重复的键：重复的两个键中，前一个会在没有任何提示的情况下丢失。',
  },
  'field-type': {
    doc: '字段的类型必须与 API Server 要求的一致。特别是注解的取值必须是文本：数字、true 和 on 需要加引号，否则 API Server 不接受该对象。',
  },
  'deprecated-key': {
    doc: '已弃用的键仍然生效，但会收到警告。Webhook 会存储当前的键，以替代它或与它并存。如果两者取值不同，以当前的键为准。',
  },
  'undeclared-copy': {
    doc: '使用 --against 时：已存储的某个注解不在清单中，也没有客户端拥有它，但仍然生效。它可能是已删除的弃用键留下的副本，也可能来自策略的默认值。',
  },
};
