import { excessOf, LABEL_LIMITS, MOST_PORTS } from '../clb/model/service-size-limits.ts';
import { ANNOTATION_BYTES } from '../annotation/cached-annotation-truncation.ts';
import type { Rule } from './rule.ts';

/** Returns labels in YAML for the example. Their number exceeds the limit by one. */
const manyLabels = (): string => {
  const labels = Array.from({ length: LABEL_LIMITS.entries + 1 }, (_, index) => `shard-${index}: a`);
  const lines = Object.values(Object.groupBy(labels, (_, index) => Math.floor(index / 8)));
  return lines.map((line = []) => line.join(', ')).join(',\n    ');
};

/** Cannot be tuned, because the caches keep only as much of a Service as these limits allow. */
export const serviceSize: Rule = {
  name: 'service-size',
  kind: 'Service',
  tier: 'hygiene',
  tunable: false,
  doc: `A Service has at most ${MOST_PORTS} ports, ${LABEL_LIMITS.entries} labels of ${LABEL_LIMITS.bytes} bytes in total, and ${ANNOTATION_BYTES} bytes of annotations that Portcullis reads. Portcullis keeps no more of a Service in memory, and does not sync a Service that exceeds a limit. If only labels change, the rule warns.`,
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  labels: {
    ${manyLabels()}
  }
`,
    right: `metadata:
  labels:
    shards: 0-64
`,
  },
  check: ({ object }) =>
    excessOf(object).map((excess) => ({
      ...excess,
      value: '',
      remedy: excess.field === 'spec.ports' ? 'move ports to another Service' : 'remove entries',
    })),
};
