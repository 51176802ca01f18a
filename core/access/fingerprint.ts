/**
 * Eight hexadecimal digits for a text (32-bit FNV-1a over its UTF-16 units). Collisions are rare; the hash hides
 * nothing.
 */
export function fingerprint(text: string): string {
  let print = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) print = Math.imul(print ^ text.charCodeAt(at), 0x01000193);
  return (print >>> 0).toString(16).padStart(8, '0');
}
