/** A bound value. */
export type Value = string | number | boolean | null | readonly (string | number | boolean | null)[];

/** One row, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement in PostgreSQL's form. */
export interface Statement {
  /** The name of the prepared statement. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly Value[];
}

/** The outcome of a statement. */
export type Outcome = { readonly rows: readonly Row[] } | { readonly message: string; readonly code: string };

/** A column of a result, and the parser of its text. */
export interface Field {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

/** A message of the server, with its letter. */
export interface Message {
  readonly letter: string;
  readonly body: Buffer;
}

/** One message of the extended query protocol (PostgreSQL, "Message Formats"). */
function message(letter: string, ...parts: readonly Buffer[]): Buffer {
  const head = Buffer.allocUnsafe(5);
  head.write(letter, 0, 'latin1');
  head.writeInt32BE(4 + parts.reduce((sum, { length }) => sum + length, 0), 1);
  return Buffer.concat([head, ...parts]);
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer =>
  Buffer.from([value >> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const NULL = int32(-1);
const ONE_TEXT_FORMAT = int16(0);

const element = (value: string | number | boolean | null): string =>
  value === null ? 'NULL' : typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value);

function bound(value: Value): Buffer[] {
  if (value === null) return [NULL];
  const bytes = Buffer.from(typeof value === 'object' ? `{${value.map(element).join(',')}}` : String(value));
  return [int32(bytes.length), bytes];
}

const EXECUTE = message('E', text(''), int32(0));
const SYNC = message('S');

/** Parses and describes a statement, under its name. */
export const prepare = ({ name, text: sql }: Statement): Buffer =>
  Buffer.concat([message('P', text(name), text(sql), int16(0)), message('D', Buffer.from('S'), text(name))]);

/** Executes a prepared statement. */
export const execute = ({ name, values }: Statement): Buffer =>
  Buffer.concat([
    message('B', text(''), text(name), int16(0), int16(values.length), ...values.flatMap(bound), ONE_TEXT_FORMAT),
    EXECUTE,
  ]);

/** Requests the server's answers. */
export const sync = (): Buffer => SYNC;

/** Several statements without bound values. */
export const simple = (sql: string): Buffer => message('Q', text(sql));

/** Takes complete messages from the received bytes. @returns the remaining bytes */
export function split(bytes: Buffer, take: (message: Message) => void): Buffer {
  let at = 0;
  while (bytes.length - at >= 5) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) break;
    take({ letter: String.fromCharCode(bytes[at] as number), body: bytes.subarray(at + 5, end) });
    at = end;
  }
  return bytes.subarray(at);
}

/** The columns of a row description. */
export function fieldsOf(body: Buffer, readerOf: (type: number) => (text: string) => unknown): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 2, i = body.readInt16BE(0); i > 0; i--) {
    const end = body.indexOf(0, at);
    fields.push({ name: body.toString('utf8', at, end), read: readerOf(body.readInt32BE(end + 7)) });
    at = end + 19;
  }
  return fields;
}

export function rowOf(body: Buffer, fields: readonly Field[]): Row {
  const row: Record<string, unknown> = {};
  let at = 2;
  for (const { name, read } of fields) {
    const length = body.readInt32BE(at);
    at += 4;
    row[name] = length < 0 ? null : read(body.toString('utf8', at, at + length));
    at += Math.max(length, 0);
  }
  return row;
}

/** The code and the message of an error. */
export function errorOf(body: Buffer): Outcome {
  const parts = new Map(
    body
      .toString('utf8')
      .split('\0')
      .map((part) => [part[0], part.slice(1)]),
  );
  return { code: parts.get('C') ?? '', message: parts.get('M') ?? '' };
}
