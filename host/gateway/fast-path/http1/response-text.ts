import { STATUS_CODES } from 'node:http';

const LINES: (string | undefined)[] = [];

/** The first line of a response. */
export function statusLine(status: number): string {
  return (LINES[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`);
}

let second = 0;
let dateLine = '';

/** The line of the header `Date`; formatted once a second. */
export function dateHeader(now: number): string {
  const present = Math.floor(now / 1000);
  if (present !== second) {
    second = present;
    dateLine = `Date: ${new Date(present * 1000).toUTCString()}\r\n`;
  }
  return dateLine;
}

/**
 * A response's head without its last, empty line. The caller makes sure that no value contains a line break.
 *
 * @param headers - names and values in turn
 */
export function responseHeadText(status: number, headers: readonly string[]): string {
  let head = statusLine(status);
  let dated = false;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    head += `${name}: ${headers[at + 1] as string}\r\n`;
    if (name.length === 4 && name.toLowerCase() === 'date') dated = true;
  }
  return dated ? head : head + dateHeader(Date.now());
}
