import type { PortPair } from '../annotation/value-type.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/stale-facts.ts';
import { exampleOf, HTTP_AND_HTTPS } from './engine/example-fragments.ts';
import {
  listenersOf,
  managesListeners,
  numbersOf,
  transportOf,
  type PortListener,
} from './engine/service-listeners.ts';
import { freeReuseOf } from './engine/reused-load-balancer.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

export const forwardPort: Rule = {
  name: 'forward-port',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Each entry of the annotation forward-port redirects an http port of the Service to an https port. A port has one redirect. The cloud rejects a redirect to a port that is not https. The controller creates no redirect from a port that is not http.',
  since: '0.1.0',
  examples: {
    wrong: exampleOf({ 'protocol-port': 'http:80', 'forward-port': '80:443' }, { http: 80, https: 443 }),
    right: exampleOf({ ...HTTP_AND_HTTPS, 'forward-port': '80:443' }, { http: 80, https: 443 }),
  },
  check: (subject, facts) => {
    const { forwardPort: pairs, protocolPort } = subject.parsed.options;
    // The rule `annotation-effect` reports an annotation without any effect.
    if (pairs === undefined || protocolPort === undefined || !managesListeners(subject)) return NONE;
    const { field } = writtenAs('forwardPort', subject);
    const listeners = (listenersOf(subject) ?? []).filter(({ protocol }) => protocol !== 'udp');
    return pairs.flatMap((pair, index) => {
      const earlier = pairs.slice(0, index).find(({ from }) => from === pair.from);
      const finding =
        earlier === undefined ? findingOn(pair, listeners, subject, facts) : findingOnSecond(pair, earlier);
      return finding === undefined
        ? NONE
        : [{ field, reason: 'Invalid', value: `${pair.from}:${pair.to}`, ...finding }];
    });
  },
};

type ForwardFinding = Omit<Violation, 'field' | 'reason' | 'value'>;

const findingOnSecond = ({ to }: PortPair, earlier: PortPair): ForwardFinding | undefined =>
  earlier.to === to
    ? undefined
    : {
        detail: `has no effect: the entry ${earlier.from}:${earlier.to} redirects the same port`,
        remedy: 'remove one of the two entries',
        atApplyOnly: true,
      };

const protocolAt = (listeners: readonly PortListener[], port: number): string | undefined =>
  listeners.find((listener) => listener.port === port)?.protocol;

function findingOn(
  { from, to }: PortPair,
  listeners: readonly PortListener[],
  subject: ServiceSubject,
  facts: Facts,
): ForwardFinding | undefined {
  const source = protocolAt(listeners, from);
  if (source === undefined) {
    return {
      detail: `must redirect a TCP port of the Service: ${numbersOf(listeners)}`,
      atApplyOnly: true,
    };
  }
  if (source !== 'http') {
    return {
      detail: `has no effect: port ${from} is ${source}, and only http ports redirect`,
      remedy: `map the port with http:${from} in protocol-port, or remove the entry`,
      advice: true,
    };
  }
  const target = protocolAt(listeners, to);
  if (target === undefined) return findingOnOthers(to, subject, facts);
  return target === 'https' ? undefined : notHttps(to, target);
}

const notHttps = (to: number, protocol: string): ForwardFinding => ({
  detail: `must redirect to an https port: port ${to} is ${protocol}`,
  remedy: `map the port with https:${to} in protocol-port, or use another port`,
});

/** Returns the violation of a target port that the Service lacks. */
function findingOnOthers(to: number, subject: ServiceSubject, facts: Facts): ForwardFinding | undefined {
  if (subject.parsed.options.id === undefined) {
    return {
      detail: `must redirect to an https port of the Service, which has no TCP port ${to}`,
    };
  }
  const reuse = freeReuseOf(subject, facts);
  if (reuse === undefined) return undefined;
  // The target listener can belong to another Service or to a user.
  const there = [...reuse.status.listeners, ...facts.portHolders(reuse.id)].filter(
    ({ port, protocol }) => port === to && transportOf(protocol) === 'tcp',
  );
  if (there.some(({ protocol }) => protocol === 'https')) return undefined;
  const [other] = there;
  if (other === undefined) {
    return {
      detail: `load balancer ${reuse.id} has no listener on port ${to} yet`,
      remedy: 'create the https listener: until then, the controller cannot create the redirect',
      advice: true,
    };
  }
  return unlessStale(facts, {
    detail: `must redirect to an https port: port ${to} of load balancer ${reuse.id} is ${other.protocol}`,
    on: reuse.id,
  });
}
