import assert from 'node:assert/strict';
import { CATALOGUE, ENTRIES, FAMILIES } from '../../../src/annotation/catalogue.ts';
import { suffixOf } from '../../../src/annotation/keys.ts';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { entriesOf } from '../../support/option-entries.ts';
import { readerOf } from '../../../src/annotation/value-readers.ts';

const camel = (suffix: string): string => suffix.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const written = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));
const names = Object.keys(CATALOGUE);

/** Parsing, rules and documentation come from the catalogue, so each entry must be consistent. */
describe('the catalogue', () => {
  it('has 70 annotations, each in a single family', () => {
    assert.equal(ENTRIES.length, 70);
    assert.deepEqual(
      FAMILIES.flatMap(({ options }) => options),
      names,
    );
  });

  it('assigns every key to a single annotation', () => {
    const keys = ENTRIES.flatMap(([, entry]) => [entry.key, ...entry.deprecated]);
    assert.equal(new Set(keys).size, keys.length);
  });

  for (const [option, entry] of ENTRIES) {
    describe(`entry ${option}`, () => {
      it('has the name of its key', () => {
        assert.equal(option, camel(entry.suffix));
        assert.equal(suffixOf(entry.key), entry.suffix);
      });

      it('parses its example with its current key', () => {
        const parsed = parseAnnotations({ [entry.key]: entry.example });
        assert.deepEqual(Object.keys(entriesOf(parsed.options)), [option]);
        assert.equal(parsed.keys.get(option), entry.key);
        assert.deepEqual([parsed.issues, parsed.unknown, parsed.deprecated], [[], [], []]);
      });

      it('parses its example with every deprecated form, with a warning', () => {
        const expected = parseAnnotations({ [entry.key]: entry.example }).options;
        for (const form of entry.deprecated) {
          const parsed = parseAnnotations({ [form]: entry.example });
          assert.deepEqual(parsed.options, expected, form);
          assert.deepEqual(parsed.deprecated, [{ key: form, current: entry.key }]);
          assert.deepEqual(parsed.unknown, []);
        }
      });

      it('has valid values as defaults', () => {
        const read = readerOf(entry.value);
        for (const value of [entry.default, entry.cloudDefault].filter((item) => item !== undefined)) {
          assert.deepEqual(read(written(value)), { ok: true, value });
        }
      });

      it('refers only to existing options, with possible values', () => {
        for (const { option: other, values, when } of [...(entry.requires ?? []), ...(entry.conflicts ?? [])]) {
          assert.ok(names.includes(other), other);
          const read = readerOf(CATALOGUE[other as keyof typeof CATALOGUE].value);
          for (const value of values ?? []) assert.ok(read(value).ok, `${other}: ${value}`);
          for (const value of when ?? []) assert.ok(readerOf(entry.value)(value).ok, value);
        }
      });

      it('has a description in whole sentences', () => {
        assert.match(entry.doc, /^[A-Z].*[.]$/s);
        assert.notEqual(entry.since, '');
      });
    });
  }

  it('has every key spelling of 2017 as a deprecated form', () => {
    const spellings = {
      ProtocolPort: 'protocol-port',
      AddressType: 'address-type',
      SLBNetworkType: 'network-type',
      ChargeType: 'charge-type',
      Bandwidth: 'bandwidth',
      CertID: 'cert-id',
      HealthCheckFlag: 'health-check-flag',
      HealthCheckType: 'health-check-type',
      HealthCheckURI: 'health-check-uri',
      HealthCheckConnectPort: 'health-check-connect-port',
      HealthyThreshold: 'healthy-threshold',
      UnhealthyThreshold: 'unhealthy-threshold',
      HealthCheckInterval: 'health-check-interval',
      HealthCheckConnectTimeout: 'health-check-connect-timeout',
      HealthCheckTimeout: 'health-check-timeout',
    };
    for (const [spelling, suffix] of Object.entries(spellings)) {
      const key = `service.beta.kubernetes.io/alicloud-loadbalancer-${spelling}`;
      const owner = ENTRIES.find(([, entry]) => entry.deprecated.includes(key))?.[1];
      assert.equal(owner?.suffix, suffix, spelling);
    }
  });
});
