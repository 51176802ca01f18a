/**
 * The ids in a reply, or in a list of replies, of a node: as JSON text, exactly as received. The text may be anything,
 * valid or not; of what cannot be read there are no ids. Only the members of each reply are looked at.
 */
export function replyIds(text: string): readonly string[] {
  const ids: string[] = [];
  const start = /^\s*/.exec(text)?.[0].length ?? 0;
  const level = text.charCodeAt(start) === BRACKET ? 2 : 1;
  let depth = 0;
  let nameComes = false;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (end < 0) return ids;
      if (nameComes && depth === level) {
        nameComes = false;
        if (end - at === 3 && text.startsWith('id', at + 1)) {
          const id = ID.exec(text.slice(end + 1, end + 1 + MAX_ID))?.[1];
          if (id !== undefined) ids.push(id);
          if (level === 1) return ids;
        }
      }
      at = end;
    } else if (code === BRACE || code === BRACKET) {
      depth += 1;
      nameComes = code === BRACE;
    } else if (code === COMMA) nameComes = true;
    else if (code === BRACE + 2 || code === BRACKET + 2) depth -= 1;
  }
  return ids;
}

const [QUOTE, BRACE, BRACKET, COMMA, BACKSLASH] = [0x22, 0x7b, 0x5b, 0x2c, 0x5c];
const MAX_ID = 320;
const ID = /^\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}\]"]+)/;

/** The end of a string; -1 where it has none. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}
