import { CATALOGUE, type OptionName } from '../../src/annotation/catalogue.ts';
import { parseAnnotations } from '../../src/annotation/parse.ts';

/** The options of a Service with many annotations, one or more of each family and type. */
const OPTIONS: readonly OptionName[] = [
  ...(['addressType', 'chargeType', 'bandwidth', 'spec', 'instanceChargeType', 'name', 'resourceGroupId'] as const),
  ...(['additionalResourceTags', 'deleteProtection', 'modificationProtection', 'protocolPort', 'certId'] as const),
  ...(['scheduler', 'persistenceTimeout', 'healthCheckFlag', 'healthCheckType', 'healthCheckUri'] as const),
  ...(['healthCheckConnectPort', 'healthyThreshold', 'unhealthyThreshold', 'healthCheckInterval'] as const),
  'removeUnscheduledBackend',
];
const VALID = Object.fromEntries(OPTIONS.map((option) => [CATALOGUE[option].key, CATALOGUE[option].example]));
/** The annotations with every value invalid, and with every key misspelled. */
const FAULTY = Object.fromEntries(Object.keys(VALID).map((key) => [key, '"wrong"']));
const UNKNOWN = Object.fromEntries(Object.entries(VALID).map(([key, value]) => [`${key}x`, value]));

const ROUNDS = 7;
const CALLS = 20_000;

/** Returns microseconds of processor time per call, the median of several rounds. The objects come from `JSON.parse`, as in a review. */
function medianMicroseconds(annotations: Readonly<Record<string, string>>): number {
  const object = JSON.parse(JSON.stringify(annotations)) as Record<string, string>;
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    for (let call = 0; call < CALLS; call++) parseAnnotations(object);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / CALLS;
  });
  return rounds.sort((left, right) => left - right)[Math.floor(ROUNDS / 2)] ?? 0;
}

/** Returns the cost of reading annotations, in microseconds of processor time per Service. The benchmark `annotation` of run.ts calls it. */
export const annotationCosts = (): Readonly<Record<string, number>> => ({
  'parse 22 valid annotations': medianMicroseconds(VALID),
  'parse 22 annotations, each with an error': medianMicroseconds(FAULTY),
  'parse 22 unknown keys': medianMicroseconds(UNKNOWN),
});

if (import.meta.main) {
  for (const [name, microseconds] of Object.entries(annotationCosts())) {
    process.stdout.write(`${name.padEnd(40)} ${microseconds.toFixed(2)} µs\n`);
  }
}
