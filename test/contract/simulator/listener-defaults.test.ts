import assert from 'node:assert/strict';
import { ENTRIES, type Options, type OptionName } from '../../../src/annotation/catalogue.ts';
import { listenerDefaultOf } from '../../../src/annotation/default-lookup.ts';
import type { OptionDefinition } from '../../../src/annotation/option-definition.ts';
import { protocolsOf } from '../../../src/annotation/option-definition.ts';
import { annotatedAttributes } from '../../../src/clb/desired/listener.ts';
import { FIELDS } from '../../../src/local/simulator/slb/listener-attribute-table.ts';

const PROTOCOLS = ['tcp', 'udp', 'http', 'https'] as const;

/** Returns the listener options of a protocol for which the catalogue names the default of the cloud. */
const optionsOf = (protocol: string): readonly OptionName[] =>
  ENTRIES.filter(
    ([, entry]: readonly [OptionName, OptionDefinition]) =>
      entry.default === undefined &&
      entry.cloudDefault !== undefined &&
      (protocolsOf(entry).includes(protocol) || entry.appliesTo.includes('listener')),
  ).map(([name]) => name);

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The catalogue documents the defaults of the cloud, and the simulator has its defaults from the API documentation, so they must be equal. */
describe('the documented default of the option', () => {
  for (const protocol of PROTOCOLS) {
    const initial = new Map(FIELDS[protocol].map(({ parameter, initial: value }) => [parameter.name, value]));
    for (const name of optionsOf(protocol)) {
      const options: Options = { [name]: listenerDefaultOf(name, protocol) };
      const attributes = Object.entries(annotatedAttributes(protocol, options));

      it(`${name} is the value of a new ${protocol} listener`, () => {
        assert.equal(attributes.length, 1);
        for (const [attribute, value] of attributes) {
          assert.ok(initial.has(capitalized(attribute)), `${attribute} is no parameter`);
          // The simulator has no value for a parameter that the cloud omits from its response.
          const cloud = initial.get(capitalized(attribute));
          if (cloud !== undefined) assert.equal(value, cloud);
        }
      });
    }
  }
});
