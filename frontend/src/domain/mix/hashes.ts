/** Numbers that look random and are the same for the same text, here and in `cli/ngxlab_cli/mix/hashes.py`. */

/** So many different ones. */
export const HASHES = 2 ** 32;

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest >>> 0;
});
const bytes = new TextEncoder();

/** 32 bits: CRC-32, mixed by MurmurHash3's last step. */
export function hashOf(text: string): number {
  let sum = 0xffffffff;
  for (const byte of bytes.encode(text)) sum = (sum >>> 8) ^ (CRC[(sum ^ byte) & 255] ?? 0);
  let value = ~sum >>> 0;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b) >>> 0;
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35) >>> 0;
  return (value ^ (value >>> 16)) >>> 0;
}
