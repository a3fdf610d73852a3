import { expect, type DemoStep } from '../demo-step.ts';

/** Returns whether the status has a line of this level and name. */
const hasLine = (status: string, level: string, name: string): boolean =>
  new RegExp(`^${level} +${name} `, 'm').test(status);

/** Runs `portcullis status` after the restarts of controller and webhook. */
export const status: DemoStep = {
  title: 'One command shows what works',
  about:
    'The status of the installation on one screen: who leads, whether the API server reaches the webhook, certificates, the age of the ' +
    'inventory, policies, Services that are not ready, and orphans.',
  run: async (demo) => {
    const { stdout } = await demo.portcullis('status');
    expect(demo, hasLine(stdout, 'ok', 'leader'), 'a controller leads', stdout);
    expect(demo, hasLine(stdout, 'ok', 'admission'), 'the API server reaches the webhook', stdout);
  },
};
