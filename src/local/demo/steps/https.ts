import { CERTIFICATE } from '../../seed.ts';
import { drawLoadBalancer } from '../cloud-state-text.ts';
import { addressOf, loadBalancerAt, sample } from '../service-lookup.ts';
import { expect, until, type DemoStep } from '../demo-step.ts';

export const https: DemoStep = {
  title: 'HTTPS, and HTTP that redirects to it',
  about:
    'Port 443 becomes an HTTPS listener with a certificate of the cloud, port 80 an HTTP listener that redirects to it. The controller looks ' +
    'up the certificate first, and creates the target of the redirect before the redirect.',
  run: async (demo) => {
    const last = await demo.cloud.lastCall();
    await demo.kubectl.show('apply', '-f', sample('https'));
    const address = await addressOf(demo, 'https');
    const balancer = await until(demo, 'both listeners run', 10_000, async () => {
      const found = await loadBalancerAt(demo, address);
      const states = found.listeners.map(({ port, status }) => `${port} ${status}`);
      return states.length === 2 && states.every((state) => state.endsWith('running'))
        ? { seen: found }
        : { not: states.join(', ') };
    });
    demo.narrator.output(drawLoadBalancer(balancer));
    const [http, secure] = balancer.listeners.toSorted((left, right) => left.port - right.port);
    const certificate = secure?.attributes['ServerCertificateId'];
    expect(demo, certificate === CERTIFICATE, 'HTTPS has the certificate', String(certificate));
    const redirect = [http?.attributes['ListenerForward'], Number(http?.attributes['ForwardPort'])].join(' ');
    expect(demo, redirect === 'on 443', 'HTTP redirects to HTTPS', redirect);
    // `callsFor` would omit the call that lists certificates, because this call names no load balancer.
    const calls = (await demo.cloud.calls(last)).map(({ action }) => action);
    const order = ['DescribeServerCertificates', 'CreateLoadBalancerHTTPSListener', 'CreateLoadBalancerHTTPListener'];
    const orderedCalls = calls.filter((action) => order.includes(action));
    expect(
      demo,
      orderedCalls.join() === order.join(),
      'the calls for certificate, HTTPS and HTTP came in this order',
      orderedCalls.join(', '),
    );
  },
};
