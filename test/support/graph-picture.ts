import assert from 'node:assert/strict';
import type { Action } from '../../src/clb/model/action.ts';
import type { Absent, Observed, Present } from '../../src/clb/model/desired-and-observed-state.ts';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import type { BlockedAction } from '../../src/plan/plan.ts';
import type { StoredServicePlan } from '../../src/plan-command/stored-service-plan.ts';
import { servicePicture } from '../../src/graph/service-picture.ts';
import type { Picture, PictureNode } from '../../src/graph/picture.ts';
import type { ListenerKey, ObservedListener } from '../../src/clb/model/listener.ts';
import { anObserved, anObservedListener, aPresent, groupId } from './clb-objects.ts';
import { aService } from './service.ts';

interface Situation {
  readonly service?: Service;
  readonly desired?: Present | Absent;
  readonly observed?: Observed;
  readonly actions?: readonly Action[];
  readonly blocked?: readonly BlockedAction<Action>[];
  readonly denied?: readonly string[];
}

/** Returns the picture of a Service `shop/web` with one load balancer, in which nothing changes by default. */
export function pictured({ service, desired, observed, actions = [], blocked = [], denied = [] }: Situation): Picture {
  const plan = { actions, blocked };
  const parts = [{ desired: desired ?? aPresent(), observed: observed ?? anObserved(), plan }];
  const stored: StoredServicePlan = { object: service ?? aService(), parts, plan, denied, lostAddresses: [] };
  return servicePicture(stored);
}

export const nodesOf = ({ nodes, boxes }: Picture): readonly PictureNode[] => [
  ...nodes,
  ...boxes.flatMap((box) => box.nodes),
];
/** Returns the node whose lines begin with the title. */
export const find = (picture: Picture, title: string): PictureNode => {
  const node = nodesOf(picture).find(({ lines }) => lines.join(' ').startsWith(title));
  assert.ok(node !== undefined, `${title} is not in ${JSON.stringify(nodesOf(picture).map(({ lines }) => lines))}`);
  return node;
};

/** Returns the arrows as `first line → first line`, with the label. */
export function arrows(picture: Picture): readonly string[] {
  const titles = new Map(nodesOf(picture).map(({ key, lines }) => [key, lines[0] ?? '']));
  return picture.edges.map(
    ({ from, to, label, isDashed }) =>
      `${titles.get(from) ?? '?'} ${isDashed === true ? '⇢' : '→'} ${titles.get(to) ?? '?'}${label === undefined ? '' : ` (${label})`}`,
  );
}

export const HTTPS: ListenerKey = { port: 443, protocol: 'https' };
/** Returns an observed HTTPS listener on port 443 with a certificate. */
export const https = (over: object = {}): ObservedListener =>
  anObservedListener(443, { protocol: 'https', serverCertificateId: 'cert-1', groupId: groupId(30_080), ...over });
