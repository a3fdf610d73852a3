import assert from 'node:assert/strict';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { usageOf } from '../../../src/policy/usage.ts';
import { annotated } from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

type Known = Parameters<typeof usageOf>[1];

const PUBLIC = { addressType: 'internet', internetBandwidth: 80 } as const;
/** Charge annotations of a Service, its load balancer, and its requested bandwidth. */
const ROWS: Readonly<Record<string, readonly [Readonly<Record<string, string>>, Known, number]>> = {
  'the requested bandwidth': [{ 'charge-type': 'paybybandwidth', bandwidth: '50' }, PUBLIC, 50],
  'the bandwidth of its load balancer without a request': [{ 'charge-type': 'paybybandwidth' }, PUBLIC, 80],
  'the default of the cloud without a load balancer': [{ 'charge-type': 'paybybandwidth' }, undefined, 1],
  'none with a charge by traffic': [{ 'charge-type': 'paybytraffic', bandwidth: '50' }, PUBLIC, 0],
  'none without a charge type': [{ bandwidth: '50' }, PUBLIC, 0],
  'none on an intranet load balancer': [{ 'charge-type': 'paybybandwidth' }, { addressType: 'intranet' }, 0],
};

/** Bandwidth costs money, so a quota must count what the cloud charges. */
describe('the bandwidth of a Service is', () => {
  for (const [what, [input, known, bandwidth]] of Object.entries(ROWS)) {
    it(what, () => {
      const object = aService({ annotations: annotated(input) });
      const parsed = parseAnnotations(object.metadata.annotations);
      assert.equal(usageOf({ object, parsed }, known).bandwidth, bandwidth);
    });
  }
});
