import { EXIT } from '../base/exit-code.ts';
import type { ListenerKey } from '../clb/model/listener.ts';
import { CLUSTER_TAG, OWNER_TAG } from '../clb/model/naming.ts';
import { listenerKey } from '../clb/model/desired-and-observed-state.ts';
import type { OrphanFinding } from './orphan-search.ts';

/** Returns the reason why a resource is an orphan, in one sentence. */
function reasonOf(finding: OrphanFinding): string {
  switch (finding.kind) {
    case 'load-balancer':
      return `its tags ${CLUSTER_TAG} and ${OWNER_TAG} name this cluster and a Service that does not exist, and no cleanup of the Service is pending`;
    case 'listener':
    case 'server-group':
      return `its name belongs to Service ${finding.service} of this cluster; the Service does not exist, and no cleanup of the Service is pending`;
    case 'binding':
      return finding.of === 'other-cluster'
        ? `another cluster created the binding for Service ${finding.service}, and this cluster has no Service with that UID`
        : `its Service ${finding.service} was deleted while another controller led, or a later Service with this name may use its resources; so this controller cleans up nothing`;
  }
}

const names = (listeners: readonly ListenerKey[]): string => listeners.map(listenerKey).join(', ');

/** Returns the lines about an orphan: its title, then its parts. */
function linesOf(finding: OrphanFinding): readonly string[] {
  switch (finding.kind) {
    case 'load-balancer': {
      const { id, name, address, isProtected, listeners, groups } = finding;
      return [
        `load balancer ${id} (${name}, ${address})`,
        ...(isProtected ? ['protected from deletion: switch the protection off first'] : []),
        ...(listeners.length === 0 ? [] : [`deleted with the load balancer: listeners ${names(listeners)}`]),
        ...groups.map((group) => `deleted with the load balancer: server group ${group.id} (${group.name})`),
      ];
    }
    case 'listener':
      return [`listener ${listenerKey(finding)} of load balancer ${finding.loadBalancer}`];
    case 'server-group': {
      const { id, name, loadBalancer, usedBy } = finding;
      const used = usedBy.length === 0 ? [] : [`cannot be deleted while listeners use it: ${names(usedBy)}`];
      return [`server group ${id} (${name}) of load balancer ${loadBalancer}`, ...used];
    }
    case 'binding': {
      const { uid, loadBalancer } = finding;
      return [`binding ${uid}${loadBalancer === undefined ? '' : ` (load balancer ${loadBalancer})`}`];
    }
  }
}

function blockOf(finding: OrphanFinding): string {
  const [title = '', ...more] = linesOf(finding);
  return [title, ...[`why: ${reasonOf(finding)}`, ...more].map((line) => `  ${line}`), ''].join('\n');
}

/** Returns the output of `portcullis plan --orphans`: a block of lines for each orphan, and their number in the last line. */
export const orphanText = (findings: readonly OrphanFinding[]): string =>
  [...findings.map(blockOf), `${orphanSummary(findings)}\n`].join('\n');

/** Returns an orphan as data, for `-o json`. */
export const orphanJson = (finding: OrphanFinding): object => ({ ...finding, why: reasonOf(finding) });

const orphanSummary = ({ length }: readonly OrphanFinding[]): string =>
  `${length} orphan${length === 1 ? '' : 's'}; nothing was deleted`;

/** Returns the exit code of `portcullis plan --orphans`: 1 if an orphan exists, and 0 without orphans. */
export const orphanExitCode = ({ length }: readonly OrphanFinding[]): number =>
  length === 0 ? EXIT.fine : EXIT.findings;
