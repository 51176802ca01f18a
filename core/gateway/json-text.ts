const BACKSLASH = 0x5c;

/** The end of the string that starts at `start`, in JSON text that is known to be valid. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
}

/** The name of a member with its escapes decoded. */
export function nameOf(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end);
  return name.includes('\\') ? (JSON.parse(text.slice(start, end + 1)) as string) : name;
}

/** True if an object in JSON text, which is known to be valid, has a member twice: parsers use different ones. */
export function repeatsMember(text: string): boolean {
  /** The names of each open object; `null` for a list. */
  const open: (Set<string> | null)[] = [];
  let nameComes = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        const names = open.at(-1);
        if (nameComes && names) {
          const name = nameOf(text, at, end);
          if (names.has(name)) return true;
          names.add(name);
          nameComes = false;
        }
        at = end;
        break;
      }
      case 0x7b: // {
        open.push(new Set());
        nameComes = true;
        break;
      case 0x5b: // [
        open.push(null);
        nameComes = false;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        nameComes = false;
        break;
      case 0x2c: // ,
        nameComes = open.at(-1) !== null;
        break;
      default:
    }
  }
  return false;
}

/**
 * The members of an object in JSON text, which is known to be valid: each value as text, exactly as received. `null`
 * when the text is no object, or an object that has a member twice.
 */
export function membersOf(text: string): ReadonlyMap<string, string> | null {
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | null = null;
  let valueAt = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfString(text, at);
      if (depth === 1 && name === null) {
        name = nameOf(text, at, end);
        valueAt = text.indexOf(':', end + 1) + 1;
        at = valueAt - 1;
      } else at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (depth === 0 && code === 0x5b) return null;
      depth += 1;
    } else if (code === 0x2c || code === 0x7d || code === 0x5d) {
      if (depth === 1 && name !== null) {
        if (members.has(name)) return null;
        members.set(name, text.slice(valueAt, at).trim());
        name = null;
      }
      if (code !== 0x2c) depth -= 1;
    }
  }
  return text.includes('{') && depth === 0 ? members : null;
}

/** The elements of a list in JSON text, which is known to be valid: each as text. `null` when the text is no list. */
export function elementsOf(text: string): readonly string[] | null {
  if (!text.trimStart().startsWith('[')) return null;
  const elements: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth === 1) from = at + 1;
    } else if (code === 0x2c || code === 0x7d || code === 0x5d) {
      if (depth === 1) {
        const element = text.slice(from, at).trim();
        if (element !== '') elements.push(element);
        from = at + 1;
      }
      if (code !== 0x2c) depth -= 1;
    }
  }
  return elements;
}
