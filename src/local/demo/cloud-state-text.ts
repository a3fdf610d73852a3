import type { CloudCall, CloudLoadBalancer, CloudRoute } from './simulator-client.ts';

/** Returns rows as lines of aligned columns. */
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

type Listener = CloudLoadBalancer['listeners'][number];

/** Returns the certificate and the redirect of a listener as text. For a listener that a user created, the text also has its name. */
function traitsOf({ attributes }: Listener): string {
  const attributeText = (name: string): string => {
    const value = attributes[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const [certificate, name] = [attributeText('ServerCertificateId'), attributeText('Description')];
  const traits = [
    ...(certificate === '' ? [] : [`certificate ${certificate}`]),
    ...(attributeText('ListenerForward') === 'on' ? [`redirects to ${attributeText('ForwardPort')}`] : []),
    ...(name.startsWith('k8s/') ? [] : [`created by a user: ${name}`]),
  ];
  return traits.map((trait) => `, ${trait}`).join('');
}

/** Returns a load balancer as the steps of the demo print it: with its listeners, and with the backends of each listener. */
export function drawLoadBalancer(balancer: CloudLoadBalancer): string {
  const lines = [`load balancer ${balancer.id}  ${balancer.address}  ${balancer.name}`];
  for (const listener of balancer.listeners) {
    lines.push(`  listener ${listener.protocol}/${listener.port} ${listener.status}${traitsOf(listener)}`);
    const group = balancer.serverGroups.find(({ id }) => id === listener.attributes['VServerGroupId']);
    if (group === undefined || listener.attributes['ListenerForward'] === 'on') continue;
    lines.push(`    server group ${group.name}`);
    for (const { serverId, serverIp = '', port, weight } of group.backends) {
      // Prints the address only of a network interface, although the cloud also reports the address of an instance.
      const server = serverId.startsWith('eni-') ? `${serverId} ${serverIp}` : serverId;
      lines.push(`      ${server}:${port ?? ''}  weight ${weight}`);
    }
  }
  return lines.join('\n');
}

/** Returns routes as the steps of the demo print them, sorted by destination. */
export const drawRoutes = (routes: readonly CloudRoute[]): string =>
  table(
    routes
      .toSorted((left, right) => (left.destination < right.destination ? -1 : 1))
      .map(({ destination, nextHopId, status }) => [`  route ${destination}`, `to ${nextHopId}`, status]),
  );

/** Returns each operation with the number of its calls, for example `slb:StartLoadBalancerListener` with 3. The most frequent operation is first. */
export function countCalls(calls: readonly CloudCall[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { product, action } of calls) {
    const name = `${product?.toLowerCase() ?? 'unknown'}:${action}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([left, a], [right, b]) => b - a || (left < right ? -1 : 1));
}
