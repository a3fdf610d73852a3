import { CERTIFICATE } from '../../seed.ts';
import { drawLoadBalancer } from '../format.ts';
import { addressOf, loadBalancerAt, sample } from '../objects.ts';
import { expect, until, type DemoStep } from '../demo.ts';

export const https: DemoStep = {
  title: 'HTTPS, and HTTP that leads there',
  about:
    'Port 443 becomes an HTTPS listener with a certificate of the cloud, port 80 an HTTP listener that redirects to it. The certificate is looked ' +
    'up before it is used, and the listener that is redirected to is made first.',
  run: async (tour) => {
    const last = await tour.cloud.lastCall();
    await tour.kubectl.show('apply', '-f', sample('https'));
    const address = await addressOf(tour, 'https');
    const balancer = await until(tour, 'both listeners run', 10_000, async () => {
      const found = await loadBalancerAt(tour, address);
      const states = found.listeners.map(({ port, status }) => `${port} ${status}`);
      return states.length === 2 && states.every((state) => state.endsWith('running'))
        ? { seen: found }
        : { not: states.join(', ') };
    });
    tour.narrator.output(drawLoadBalancer(balancer));
    const [http, secure] = balancer.listeners.toSorted((left, right) => left.port - right.port);
    const certificate = secure?.attributes['ServerCertificateId'];
    expect(tour, certificate === CERTIFICATE, 'HTTPS has the certificate', String(certificate));
    const redirect = [http?.attributes['ListenerForward'], Number(http?.attributes['ForwardPort'])].join(' ');
    expect(tour, redirect === 'on 443', 'HTTP redirects to it', redirect);
    // All calls are read, because the call that lists certificates names no load balancer.
    const calls = (await tour.cloud.calls(last)).map(({ action }) => action);
    const order = ['DescribeServerCertificates', 'CreateLoadBalancerHTTPSListener', 'CreateLoadBalancerHTTPListener'];
    const made = calls.filter((action) => order.includes(action));
    expect(tour, made.join() === order.join(), 'certificate, HTTPS and HTTP came in this order', made.join(', '));
  },
};
