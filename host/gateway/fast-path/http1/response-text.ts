import { STATUS_CODES } from 'node:http';
import type { HeaderList } from '../../header-list.ts';

const LINES: (string | undefined)[] = [];

export function statusLine(status: number): string {
  return (LINES[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`);
}

let second = 0;
let dateLine = '';

/** The line of the header `Date`; formatted at most once a second. */
export function dateHeader(now: number): string {
  const present = Math.floor(now / 1000);
  if (present !== second) {
    second = present;
    dateLine = `Date: ${new Date(present * 1000).toUTCString()}\r\n`;
  }
  return dateLine;
}

/**
 * A response's head without its last, empty line. The caller ensures that no value contains a line break.
 *
 * @param own - the lines of this response only; none is `Date`
 */
export function responseHeadText(status: number, common: HeaderList, own: string): string {
  const date = common.dated ? '' : dateHeader(Date.now());
  return statusLine(status) + common.lines + own + date;
}
