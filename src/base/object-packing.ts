import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Brand } from '../brand.ts';

/** A serialized and compressed value, which takes a tenth of the memory of the value. */
export type Packed<Value> = Brand<string, 'Packed'> & { readonly of?: Value };
/** A value as compressed JSON. */
export type PackedJson<Value> = Brand<string, 'PackedJson'> & { readonly of?: Value };

/** The settings of compression. A higher level costs much time and saves little space; larger windows cause frequent garbage collections. */
const OPTIONS = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 8_192 };

/** The size, in bytes, up to which data is not compressed. */
const SMALL = 1_000;
/** The first byte of compressed data. Other data never starts with this byte. */
const COMPRESSED = 0;

function compressedIfLarge(bytes: Buffer): string {
  const packed = bytes.length <= SMALL ? bytes : Buffer.concat([Buffer.of(COMPRESSED), deflateRawSync(bytes, OPTIONS)]);
  return packed.toString('latin1');
}

function unpackedBytes(packed: string): Buffer {
  const bytes = Buffer.from(packed, 'latin1');
  return bytes[0] === COMPRESSED ? inflateRawSync(bytes.subarray(1), OPTIONS) : bytes;
}

/** Packs plain data to save memory. The Service controller packs the state of each Service between reconciles. Supports `Map` and `Set`. */
export const pack = <Value extends object>(value: Value): Packed<Value> =>
  compressedIfLarge(serialize(value)) as Packed<Value>;

/** Returns a new copy of a packed value. */
export const unpack = <Value extends object>(packed: Packed<Value>): Value =>
  deserialize(unpackedBytes(packed)) as Value;

/** Packs JSON data, in two thirds of the time of `pack`. Drops undefined properties. */
export const packJson = <Value extends object>(value: Value): PackedJson<Value> =>
  compressedIfLarge(Buffer.from(JSON.stringify(value))) as PackedJson<Value>;

/** Returns a new copy of a packed value, in half the time of `unpack`. */
export const unpackJson = <Value extends object>(packed: PackedJson<Value>): Value =>
  JSON.parse(unpackedBytes(packed).toString()) as Value;

/** The functions with which a cache of Kubernetes objects packs and unpacks objects of a kind. */
export interface Packing<Value extends object> {
  readonly pack: (value: Value) => PackedJson<Value>;
  /** Returns the object. Treat it as read-only, like any object of a cache. */
  readonly unpack: (packed: PackedJson<Value>) => Value;
}
