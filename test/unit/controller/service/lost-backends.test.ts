import assert from 'node:assert/strict';
import { backendsLost, nodesSkipped } from '../../../../src/controller/service/status/events.ts';
import { lostBackends } from '../../../../src/controller/service/status/readiness-state.ts';
import { aService } from '../../../support/service.ts';

const N3 = { name: 'n3', providerId: 'k3s://n3' };
const N33 = { name: 'n33', providerId: 'k3s://n3' };
const LAPTOP = { name: 'laptop', providerId: 'k3s://laptop' };

const showing = (message: string) => ({
  ...aService(),
  status: {
    conditions: [
      { type: 'LoadBalancerReady', status: 'False', reason: 'InvalidBackend', message, lastTransitionTime: '' },
    ],
  },
});

describe('the Nodes that a Service lost as backends', () => {
  const cases: Record<string, { message: string; seen?: string; lost: readonly string[] }> = {
    'are empty without a condition that names them': { message: '', lost: [] },
    'are the Nodes that this process observed': { message: '', seen: 'laptop', lost: ['laptop'] },
    'are the Nodes that the condition names': { message: backendsLost([N3, LAPTOP]).message, lost: ['n3', 'laptop'] },
    'are read from a condition that also has a violation': {
      message: `${backendsLost([N33]).message}; spec.x: y`,
      lost: ['n33'],
    },
    'exclude Nodes that were no backends': { message: nodesSkipped([N3, LAPTOP]).message, lost: [] },
  };
  for (const [title, { message, seen, lost }] of Object.entries(cases))
    it(title, () => {
      const isLost = lostBackends(showing(message), (name) => name === seen);
      assert.deepEqual(
        [N3, N33, LAPTOP].filter(isLost).map(({ name }) => name),
        lost,
      );
    });
});
