/** The cells of comma-separated values, parsed by RFC 4180. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let rest = text;
  let row: string[] = [];
  while (rest !== '') {
    const [whole, quoted, plain, end] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? fail(`no cell at ${rest.slice(0, 80)}`);
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    rest = rest.slice(whole.length);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

function fail(message: string): never {
  throw new Error(message);
}
