import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { messageOf } from '../../../src/base/errors.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { fieldOf } from '../../../src/rules/engine/evaluate.ts';
import { violationMessage } from '../../../src/rules/engine/message.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../../support/control-plane.ts';
import { answered } from '../../support/eventually.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { randomChange, type Change } from '../../support/random-change.ts';

const FOLDER = join(import.meta.dirname, '../../../manifests/without-webhook');
const GOLDEN = join(import.meta.dirname, '../../golden/webhook');
const SERVICES = '/api/v1/namespaces/default/services';
/** The number of parallel requests. */
const LANES = 8;
const SEED = 7;
const COUNT = 500;

/** The rules that the policies implement. listener-quota is omitted, because its golden review depends on the cloud. */
const REPORTED: ReadonlySet<string> = new Set([
  'annotation-value',
  'annotation-combination',
  'port-protocol',
  'limits',
  'immutable-annotation',
  'one-way-change',
]);

const isService = ({ kind }: { readonly kind?: string }): boolean => kind === 'Service';

/** Golden reviews of Services, each with its own name. */
const GOLDEN_CHANGES: readonly (Change & { readonly rule: string; readonly isAllowed: boolean })[] = readdirSync(GOLDEN)
  .filter((rule) => existsSync(join(GOLDEN, rule, 'deny.yaml')))
  .flatMap((rule) => {
    const written = (kind: string) =>
      parse(readFileSync(join(GOLDEN, rule, `${kind}.yaml`), 'utf8')) as Omit<Change, 'name'>;
    const [good, bad] = [written('allow'), written('deny')];
    const note = { ...bad.object.metadata.annotations, 'example.com/team': 'shop' };
    const touched = { ...bad.object, metadata: { ...bad.object.metadata, annotations: note } };
    return [
      { rule, isAllowed: true, name: `${rule}-allow`, ...good },
      { rule, isAllowed: false, name: `${rule}-deny`, ...bad },
      { rule, isAllowed: true, name: `${rule}-ratcheted`, object: touched, oldObject: bad.object },
    ].filter(({ object }) => isService(object));
  });

const RANDOM_CHANGES = Array.from({ length: COUNT }, (_, number) => randomChange(SEED, number));

/** Returns the messages of the webhook's denials without facts about the cloud. */
function deniedByWebhook({ object, oldObject }: Change): readonly string[] {
  const review = aReview({ object, ...(oldObject === undefined ? {} : { oldObject }) });
  const { denials } = validate(readReview(JSON.parse(JSON.stringify(review))), {
    facts: aFacts(),
    policy: ENFORCE_ALL,
    rules: ALL_RULES,
    expired: () => false,
  });
  return denials.map((finding) => `${fieldOf(finding)}: ${violationMessage(finding)}`);
}

/** Returns the part of a message that webhook and policy must share. A policy may shorten the location and the remedy. */
const findingIn = (text: string): string =>
  /: ((?:[A-Z][a-z]+ value|Forbidden|Too many): .*?)(?:;| \[[a-z-]+\])/.exec(text)?.[1] ?? text;

/** Returns the Service as a user writes it, without node ports and address families, which the API server assigns. */
function written({ spec: { ipFamilies: _, ipFamilyPolicy: _policy, ...spec } = {}, metadata }: Service, name: string) {
  const isBalanced = spec.type === 'LoadBalancer';
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, annotations: metadata.annotations ?? {}, labels: metadata.labels ?? {} },
    spec: {
      ...spec,
      ...(isBalanced ? { allocateLoadBalancerNodePorts: false } : {}),
      ports: spec.ports?.map(({ nodePort: _, ...port }) => port),
    },
  };
}

/** Returns the patch from the old to the new object. */
function patchOf({ name, object, oldObject }: Change): object {
  const { metadata, spec } = written(object, name);
  const removed = Object.keys(oldObject?.metadata.annotations ?? {}).map((key): [string, null] => [key, null]);
  return {
    metadata: { annotations: { ...Object.fromEntries(removed), ...metadata.annotations } },
    spec: { ...spec, ports: [{ $patch: 'replace' }, ...(spec.ports ?? [])] },
  };
}

/** The admission policies repeat rules in CEL. Different results would confuse users and deny working Services. */
describe('the rules without a webhook', function () {
  this.timeout(300_000);
  const resources = new AsyncDisposableStack();
  let plane: TestControlPlane;

  async function store({ name, oldObject }: Change): Promise<void> {
    if (oldObject === undefined) return;
    await plane.client.create(SERVICES, written(oldObject, name));
    const { status = {} } = oldObject;
    if (Object.keys(status).length > 0) await plane.client.patch(`${SERVICES}/${name}/status`, { status });
  }

  /** Returns the denial by the policies. Undefined if they allow the change. */
  async function denial(change: Change): Promise<string | undefined> {
    const { name, object, oldObject } = change;
    try {
      if (oldObject === undefined) await plane.client.create(`${SERVICES}?dryRun=All`, written(object, name));
      else await plane.client.patch(`${SERVICES}/${name}?dryRun=All`, patchOf(change));
      return undefined;
    } catch (error) {
      const message = messageOf(error);
      return message.includes('ValidatingAdmissionPolicy') ? message : undefined;
    }
  }

  before(async () => {
    plane = resources.use(await borrowControlPlane());
    await inLanes([...GOLDEN_CHANGES, ...RANDOM_CHANGES], store);
    await plane.kubectl('apply', '--server-side', '-k', FOLDER);
    for (const rule of ['annotation-value', 'annotation-combination', 'immutable-annotation']) {
      const wrong = GOLDEN_CHANGES.find(({ name }) => name === `${rule}-deny`);
      assert.ok(wrong !== undefined);
      await answered(async () => (await denial(wrong)) !== undefined || undefined, `${rule} is in force`);
    }
  });
  after(() => resources.disposeAsync());

  it('have the results of the golden reviews, with the messages of the webhook', async () => {
    const wrong: string[] = [];
    await inLanes(GOLDEN_CHANGES, async (change) => {
      const { rule, name, isAllowed } = change;
      const message = await denial(change);
      if (message === undefined) {
        if (!isAllowed && REPORTED.has(rule)) wrong.push(`${name}: accepted`);
        return;
      }
      const words = deniedByWebhook(change);
      if (isAllowed || !words.some((text) => message.includes(findingIn(text)))) wrong.push(`${name}: ${message}`);
    });
    assert.deepEqual(wrong, []);
  });

  it('deny nothing that the webhook allows', async () => {
    const wrong: string[] = [];
    const counts = new Map<string, number>();
    await inLanes(RANDOM_CHANGES, async (change) => {
      const message = await denial(change);
      if (message === undefined) return;
      const rule = / \[([a-z-]+)\]/.exec(message)?.[1] ?? message;
      counts.set(rule, (counts.get(rule) ?? 0) + 1);
      const isShared = deniedByWebhook(change).some((text) => text.includes(` [${rule}]`));
      if (!isShared) wrong.push(`${message}: ${JSON.stringify(change)}`);
    });
    assert.deepEqual(wrong, []);
    assert.deepEqual([...counts.keys()].sort(), [...REPORTED, 'listener-quota'].sort(), 'each rule denies a change');
  });
});

async function inLanes<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
