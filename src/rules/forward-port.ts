import { CATALOGUE } from '../annotation/catalogue.ts';
import type { PortPair } from '../annotation/value-type.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/age.ts';
import { exampleOf, HTTP_AND_HTTPS } from './engine/example.ts';
import { listenersOf, managesListeners, numbersOf, transportOf, type PortListener } from './engine/listeners.ts';
import { freeReuseOf } from './engine/reuse.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Violation[] = [];

export const forwardPort: Rule = {
  name: 'forward-port',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Each entry of the annotation forward-port redirects a port of the Service, once, whose listener is http, to one whose listener is https. The cloud refuses a redirect to anything else, and one from anything else is not made.',
  since: '0.1.0',
  examples: {
    wrong: exampleOf({ 'protocol-port': 'http:80', 'forward-port': '80:443' }, { http: 80, https: 443 }),
    right: exampleOf({ ...HTTP_AND_HTTPS, 'forward-port': '80:443' }, { http: 80, https: 443 }),
  },
  check: (subject, facts) => {
    const { forwardPort: pairs, protocolPort } = subject.parsed.options;
    // The rule `annotation-effect` reports an annotation that has no effect as a whole.
    if (pairs === undefined || protocolPort === undefined || !managesListeners(subject)) return NONE;
    const { field } = writtenAs('forwardPort', subject);
    const listeners = (listenersOf(subject) ?? []).filter(({ protocol }) => protocol !== 'udp');
    return pairs.flatMap((pair, index) => {
      const earlier = pairs.slice(0, index).find(({ from }) => from === pair.from);
      const said = earlier === undefined ? adviceOn(pair, listeners, subject, facts) : adviceOnSecond(pair, earlier);
      return said === undefined ? NONE : [{ field, found: `${pair.from}:${pair.to}`, ...said }];
    });
  },
};

type ForwardAdvice = Omit<Violation, 'field' | 'found'>;

const adviceOnSecond = ({ to }: PortPair, earlier: PortPair): ForwardAdvice | undefined =>
  earlier.to === to
    ? undefined
    : {
        allowed: 'one entry a port',
        fix: `remove it or the earlier ${earlier.from}:${earlier.to}, which counts`,
        atApplyOnly: true,
      };

const protocolAt = (listeners: readonly PortListener[], port: number): string | undefined =>
  listeners.find((listener) => listener.port === port)?.protocol;

function adviceOn(
  { from, to }: PortPair,
  listeners: readonly PortListener[],
  subject: ServiceSubject,
  facts: Facts,
): ForwardAdvice | undefined {
  const source = protocolAt(listeners, from);
  if (source === undefined) {
    return {
      allowed: `a redirect from a TCP port of the Service (${numbersOf(listeners)})`,
      fix: 'name one of them first, add the port under spec.ports, or remove the entry',
      atApplyOnly: true,
    };
  }
  if (source !== 'http') {
    return {
      allowed: `a redirect from an http port, and ${from} is ${source}, so nothing is redirected`,
      fix: `map it by http:${from} in ${CATALOGUE.protocolPort.key}, or remove the entry`,
      advice: true,
    };
  }
  const target = protocolAt(listeners, to);
  if (target === undefined) return adviceOnOthers(to, subject, facts);
  return target === 'https' ? undefined : notHttps(to, target);
}

const notHttps = (to: number, protocol: string): ForwardAdvice => ({
  allowed: `a redirect to an https port, and ${to} is ${protocol}`,
  fix: `map it by https:${to} in ${CATALOGUE.protocolPort.key}, or name another port`,
});

/** Returns advice for a target port that the Service does not have. On a shared load balancer, another Service or a user may have its listener. */
function adviceOnOthers(to: number, subject: ServiceSubject, facts: Facts): ForwardAdvice | undefined {
  if (subject.parsed.options.id === undefined) {
    return {
      allowed: `a redirect to an https port of the Service, and it has no TCP port ${to}`,
      fix: 'add the port under spec.ports and map it to https, or name another',
    };
  }
  const reuse = freeReuseOf(subject, facts);
  if (reuse === undefined) return undefined;
  const there = [...reuse.status.listeners, ...facts.portHolders(reuse.id)].filter(
    ({ port, protocol }) => port === to && transportOf(protocol) === 'tcp',
  );
  if (there.some(({ protocol }) => protocol === 'https')) return undefined;
  const [other] = there;
  if (other === undefined) {
    return {
      allowed: `a redirect to an https port, and load balancer ${reuse.id} has none at ${to} yet`,
      fix: 'make that listener too: until then the redirect cannot be made',
      advice: true,
    };
  }
  return unlessStale(facts, {
    allowed: `a redirect to an https port, and ${to} of load balancer ${reuse.id} is ${other.protocol}`,
    fix: 'name a port that is https',
    on: reuse.id,
  });
}
