import type { CloudCall, CloudLoadBalancer } from './cloud.ts';

/** Lines of columns, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

/** A load balancer as the cloud holds it: its listeners, and under each its backends. */
export function drawLoadBalancer(balancer: CloudLoadBalancer): string {
  const lines = [`load balancer ${balancer.id}  ${balancer.address}  ${balancer.name}`];
  for (const listener of balancer.listeners) {
    lines.push(`  listener ${listener.protocol}/${listener.port} ${listener.status}`);
    const group = balancer.serverGroups.find(({ id }) => id === listener.attributes['VServerGroupId']);
    if (group === undefined) continue;
    lines.push(`    server group ${group.name}`);
    for (const { serverId, port, weight } of group.backends) {
      lines.push(`      ${serverId}:${port ?? ''}  weight ${weight}`);
    }
  }
  return lines.join('\n');
}

/** How often each operation was called, most frequent first: `3 × AddVServerGroupBackendServers`. */
export function countCalls(calls: readonly CloudCall[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { product, action } of calls) {
    const name = `${product?.toLowerCase() ?? 'unknown'}:${action}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([left, a], [right, b]) => b - a || (left < right ? -1 : 1));
}
