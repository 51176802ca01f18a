import { formatTimestamp } from '../kernel/index.ts';
import type { Millis } from '../kernel/index.ts';
import type { NoticeWords } from './notice.ts';

/** Control characters, bidirectional marks, line and paragraph separators, halves of surrogate pairs. */
const UNSOUND = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const MAX_SUBJECT = 200;
const MAX_VALUE = 500;

/** A text as one line, truncated to `most` characters, so that it cannot add a header or line to the message. */
export function oneLine(text: string, most = MAX_VALUE): string {
  const characters = Array.from(text.replace(UNSOUND, ' ').replace(/ {2,}/g, ' ').trim());
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

/** A time as text for persons: `2026-11-25 12:54:26 UTC`. */
export function readableTime(at: Millis): string {
  return `${formatTimestamp(at).replace('T', ' ')} UTC`;
}

/** A line of a message: a sentence of the till, or a label with its value; a value of `null` omits the line. */
export type NoticeLine = string | readonly [label: string, value: string | null];

/** Subject and text of a message; every value is one line. */
export function noticeWords(subject: string, lines: readonly NoticeLine[]): NoticeWords {
  const written = lines.flatMap((line) => {
    if (typeof line === 'string') return [line];
    const [label, value] = line;
    return value === null ? [] : [`${label}: ${oneLine(value)}`];
  });
  return { subject: oneLine(subject, MAX_SUBJECT), text: written.join('\n') };
}
