/** A short name for a text, by which its translation is found: its FNV-1a hash of 32 bits, which is no part of a text. */
export function textId(text: string): string {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++)
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  return `:${(hash >>> 0).toString(36)}`;
}
