import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Brand } from '../brand.ts';

/** A value at rest: a tenth of what it takes when it is in use. */
export type Packed<Value> = Brand<string, 'Packed'> & { readonly of?: Value };
/** The same of what has been JSON. */
export type PackedJson<Value> = Brand<string, 'PackedJson'> & { readonly of?: Value };

/**
 * Compressing any harder costs far more time than it saves space; and with the usual windows each call takes a quarter of a megabyte for
 * itself, for which garbage is collected again and again.
 */
const OPTIONS = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 8_192 };

/** Bytes up to which compressing is not worth its time. */
const SMALL = 1_000;
/** The first byte of what is compressed; that of what is not is the version of its format, or begins an object or a list. */
const COMPRESSED = 0;

function atRest(bytes: Buffer): string {
  const packed = bytes.length <= SMALL ? bytes : Buffer.concat([Buffer.of(COMPRESSED), deflateRawSync(bytes, OPTIONS)]);
  return packed.toString('latin1');
}

function inUse(packed: string): Buffer {
  const bytes = Buffer.from(packed, 'latin1');
  return bytes[0] === COMPRESSED ? inflateRawSync(bytes.subarray(1), OPTIONS) : bytes;
}

/** Packs plain data, `Map`, `Set` and numbers of all kinds included. */
export const pack = <Value extends object>(value: Value): Packed<Value> => atRest(serialize(value)) as Packed<Value>;

/** An equal value, which is nobody else's. */
export const unpack = <Value extends object>(packed: Packed<Value>): Value => deserialize(inUse(packed)) as Value;

/** Packs what JSON has words for, in two thirds of the time; a property that is `undefined` goes. */
export const packJson = <Value extends object>(value: Value): PackedJson<Value> =>
  atRest(Buffer.from(JSON.stringify(value))) as PackedJson<Value>;

/** An equal value, which is nobody else's; in half the time. */
export const unpackJson = <Value extends object>(packed: PackedJson<Value>): Value =>
  JSON.parse(inUse(packed).toString()) as Value;

/** How objects of a kind are packed. */
export interface Packing<Value extends object> {
  readonly pack: (value: Value) => PackedJson<Value>;
  /** An equal value; the caller must not change it. */
  readonly unpack: (packed: PackedJson<Value>) => Value;
}
