import { sample } from '../service-lookup.ts';
import { expect, type OfflineDemo } from '../demo-step.ts';

const VIOLATIONS = 6;
const RULE = 'port-protocol';

/** The first step of the demo. The step needs no cluster, and runs while the sandbox starts. */
export const offline = {
  title: "Without a cluster: the webhook's rules, for a file",
  about:
    'The command lint evaluates the rules of the webhook in a pipeline or an editor, and explain shows a rule. Meanwhile, the sandbox starts.',
  run: async (demo: OfflineDemo): Promise<void> => {
    const lint = await demo.portcullis('lint', sample('faults'));
    const found = lint.stdout.split('\n').filter((line) => line.includes(': error: ')).length;
    const holds = lint.code === 1 && found === VIOLATIONS;
    expect(demo, holds, `lint finds ${VIOLATIONS} violations`, lint.stdout + lint.stderr);
    const { code, stdout, stderr } = await demo.portcullis('explain', RULE);
    const isExplained = code === 0 && /^Wrong\n[^]*^Right\n/m.test(stdout);
    expect(demo, isExplained, 'explain shows the rule with a wrong and a right example', stdout + stderr);
  },
};
