import { TillgateError } from '../../core/index.ts';
import { readText } from './read-json.ts';

/** A record of a file by the names of its columns. */
export type CsvRecord = Readonly<Record<string, string>>;

const BYTE_ORDER_MARK = '\uFEFF';
const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const MAX_COLUMNS = 32;

const malformed = (line: number, problem: string): TillgateError =>
  new TillgateError('MALFORMED_REQUEST', `The CSV cannot be read: line ${line} ${problem}.`);

/**
 * Reads comma-separated values with a header line (RFC 4180), strictly: a quote inside a plain cell, a cell with a line
 * break, and a line with more or fewer cells than the header are refused, so that each record is the line of its number.
 * Lines end with LF or CRLF; a byte order mark and an empty last line are ignored.
 *
 * @throws TillgateError `MALFORMED_REQUEST` with the line
 */
export function readCsv(bytes: Uint8Array): readonly CsvRecord[] {
  const text = readText(bytes);
  const lines = (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  const [header, ...records] = lines.map((line, at) => cellsOf(line.endsWith('\r') ? line.slice(0, -1) : line, at + 1));
  if (header === undefined) throw malformed(1, 'must have the names of the columns');
  const names = header.map((name) => name.trim());
  if (names.length > MAX_COLUMNS) throw malformed(1, `must have at most ${MAX_COLUMNS} columns`);
  for (const [at, name] of names.entries()) {
    if (!NAME.test(name)) throw malformed(1, `must have names of columns; the ${at + 1}. is none`);
    if (names.indexOf(name) !== at) throw malformed(1, `has the column ${name} twice`);
  }
  return records.map((cells, at) => {
    if (cells.length !== names.length)
      throw malformed(at + 2, `has ${cells.length} cells, and the header has ${names.length}`);
    return Object.fromEntries(names.map((name, column) => [name, cells[column] as string]));
  });
}

/** The cells of a line. */
function cellsOf(line: string, number: number): readonly string[] {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  for (let at = 0; ;) {
    const [cell, end] = line[at] === '"' ? quoted(line, at, number) : plain(line, at, number);
    cells.push(cell);
    if (end === line.length) return cells;
    if (line[end] !== ',') throw malformed(number, 'has text after a quoted cell');
    at = end + 1;
  }
}

/** A cell in quotes, inside which two quotes stand for one. @returns the text, and the place after it */
function quoted(line: string, start: number, number: number): readonly [string, number] {
  let text = '';
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] !== '"') text += line.charAt(at);
    else if (line[at + 1] === '"') text += line.charAt(at++);
    else return [text, at + 1];
  }
  throw malformed(number, 'has a quote that does not end; a cell cannot have a line break');
}

function plain(line: string, start: number, number: number): readonly [string, number] {
  const comma = line.indexOf(',', start);
  const end = comma < 0 ? line.length : comma;
  const text = line.slice(start, end);
  if (text.includes('"')) throw malformed(number, 'has a quote inside a cell that does not begin with one');
  return [text, end];
}
