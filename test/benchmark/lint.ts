import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CATALOGUE, type OptionName } from '../../src/annotation/catalogue.ts';

const MAIN = join(import.meta.dirname, '../../dist/src/main.js');
const MANIFESTS = 1_000;
const ROUNDS = 5;
const FINDINGS = 1;

const OPTIONS: readonly OptionName[] = [
  ...(['addressType', 'chargeType', 'bandwidth', 'name', 'resourceGroupId', 'protocolPort', 'certId'] as const),
  ...(['scheduler', 'healthCheckFlag', 'healthCheckType', 'healthCheckUri', 'healthyThreshold'] as const),
];

/** Returns a Service with a dozen annotations. Every tenth Service has a violation. */
const manifest = (number: number): string => `apiVersion: v1
kind: Service
metadata:
  name: web-${number}
  namespace: shop
  annotations:
${OPTIONS.map((option) => `    ${CATALOGUE[option].key}: "${CATALOGUE[option].example}"\n`).join('')}spec:
  type: LoadBalancer
  selector: {app: web-${number}}
  ports:
    - name: http
      port: 80
      targetPort: 8080
    - name: https
      port: 443
      targetPort: 8443
${number % 10 === 0 ? '      protocol: SCTP\n' : ''}`;

function seconds(folder: string): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'lint', folder], { encoding: 'utf8' });
  if (status !== FINDINGS || !stderr.includes(`${MANIFESTS} Services`)) {
    throw new Error(`portcullis lint ended with ${String(status)}:\n${stderr}`);
  }
  return (performance.now() - start) / 1_000;
}

/** Returns the median of the seconds that `portcullis lint` takes for 1,000 files, including its start. The benchmark `lint` of run.ts calls it. */
export function lintCosts(): number {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-lint-'));
  try {
    for (let number = 1; number <= MANIFESTS; number++) {
      writeFileSync(join(folder, `web-${number}.yaml`), manifest(number));
    }
    const rounds = Array.from({ length: ROUNDS }, () => seconds(folder));
    return rounds.sort((left, right) => left - right)[Math.floor(ROUNDS / 2)] ?? 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
