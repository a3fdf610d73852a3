import { readService, sample } from '../service-lookup.ts';
import { expect, type DemoStep } from '../demo-step.ts';

const OLD = 'service.beta.kubernetes.io/alicloud-loadbalancer-address-type';
const CURRENT = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type';

export const deprecatedKeys: DemoStep = {
  title: 'Deprecated annotations are rewritten',
  about:
    'This Service uses the keys from before 2020. It is accepted with a warning, and stored with the current keys.',
  run: async (demo) => {
    const { code, stderr } = await demo.kubectl.show('apply', '-f', sample('deprecated-keys'));
    expect(demo, code === 0, 'the Service is accepted', stderr);
    expect(demo, /warning/i.test(stderr), 'a warning names the rewritten key', stderr || 'no warning');
    await demo.kubectl.show(
      ...['get', 'service', 'deprecated-keys', '-n', 'demo', '-o'],
      String.raw`go-template={{range $key, $value := .metadata.annotations}}{{if ne $key "kubectl.kubernetes.io/last-applied-configuration"}}{{$key}}: {{$value}}{{"\n"}}{{end}}{{end}}`,
    );
    const annotations = (await readService(demo, 'deprecated-keys'))?.metadata.annotations ?? {};
    expect(demo, annotations[CURRENT] === 'intranet', 'the current key is stored', JSON.stringify(annotations));
    expect(demo, annotations[OLD] === undefined, 'the old key is removed', JSON.stringify(annotations));
  },
};
