import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_TABLE, statusOf } from '../../adapters/http/error-table.ts';
import type { WireError } from '../../adapters/http/error-table.ts';
import { v1Code } from '../../adapters/http/replies.ts';
import {
  ACCOUNT_TRANSITIONS,
  APP_KEY_TRANSITIONS,
  CALLBACK_SCHEDULE_MS,
  ORDER_TRANSITIONS,
  TRANSFER_TRANSITIONS,
  webhookEventOf,
} from '../../core/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { COMMANDS } from '../../host/cli/commands.ts';
import { usageOf } from '../../host/cli/usage.ts';
import { CALLS_HEAD, PLUGINS_HEAD, callRows, pluginRows } from '../http/greenfield/calls.ts';
import { depthTable } from '../../plugins/depth-table.ts';
import { repository } from './source-tree.ts';

const DECISIONS = 'core/decisions';
const GUIDES = 'host/api-docs/guides';
const SHOP_FACTS = 'test/http/greenfield/README.md';

/** A table of Markdown. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const code = (text: string): string => `\`${text}\``;
const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

/** Every command of the server with its options. */
function commandTable(): string {
  return table(
    ['command', 'what it does'],
    COMMANDS.map((command) => [code(usageOf(command)), command.summary]),
  );
}

/** The error codes of the payment API; several errors of the core may share one. */
function errorTable(): string {
  const errors: readonly WireError[] = Object.values(ERROR_TABLE);
  const meanings = new Map(
    errors.filter(({ manageOnly }) => manageOnly !== true).map(({ code: number, meaning }) => [number, meaning]),
  );
  const rows = [...meanings].toSorted(([one], [other]) => one - other);
  return table(
    ['code', 'HTTP status', 'meaning'],
    rows.map(([number, meaning]) => [String(number), String(statusOf(number)), meaning]),
  );
}

/** The codes of `/v1`; that of a missing record has the record's name before it. */
function v1ErrorTable(): string {
  const errors = Object.entries<WireError>(ERROR_TABLE).filter(([, { manageOnly }]) => manageOnly !== true);
  const rows = errors.map(([word, { code: number, meaning }]): [number, string[]] => [
    number,
    [code(v1Code(word as ErrorCode, null)), String(statusOf(number)), meaning],
  ]);
  return table(
    ['code', 'HTTP status', 'meaning'],
    rows.toSorted(([one], [other]) => one - other).map(([, row]) => row),
  );
}

function orderMoves(): string {
  return table(
    ['rule', 'from', 'to', 'event'],
    ORDER_TRANSITIONS.map((move) => [code(move.rule), codes(move.from), code(move.to), code(webhookEventOf(move))]),
  );
}

type Moves = Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>;

const movesOf = (of: string, moves: Moves): readonly (readonly string[])[] =>
  Object.entries(moves).map(([event, { from, to }]) => [of, code(event), codes(from), code(to)]);

function transferMoves(): string {
  const rows = movesOf('', TRANSFER_TRANSITIONS).map(([, ...cells]) => cells);
  return table(['event', 'from', 'to'], rows);
}

function accessMoves(): string {
  const rows = [...movesOf('App key', APP_KEY_TRANSITIONS), ...movesOf('account', ACCOUNT_TRANSITIONS)];
  return table(['record', 'event', 'from', 'to'], rows);
}

/** A delay in the largest unit that gives a whole number. */
function delay(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
}

function callbackSchedule(): string {
  const delays = CALLBACK_SCHEDULE_MS.map(delay).join(', ');
  return `Failed attempts are repeated after ${delays}, each up to 20 % earlier or later, and not before \`Retry-After\`.`;
}

/** The records of decisions by their file names, with the titles that they begin with. */
function decisionList(): string {
  const files = readdirSync(join(repository, DECISIONS)).filter((file) => file.endsWith('.md'));
  return files
    .toSorted()
    .map((file) => {
      const [title = ''] = readFileSync(join(repository, DECISIONS, file), 'utf8').split('\n');
      return `- [${title.replace(/^# /, '')}](decisions/${file})`;
    })
    .join('\n');
}

/** A part of a document that is made from the sources; it stands between comments with its name. */
export interface DerivedPart {
  readonly document: string;
  readonly name: string;
  readonly text: () => string;
}

export const DERIVED_PARTS: readonly DerivedPart[] = [
  { document: 'host/README.md', name: 'commands', text: commandTable },
  { document: 'host/README.md', name: 'depths', text: depthTable },
  { document: 'core/README.md', name: 'decisions', text: decisionList },
  { document: 'host/payment-api.md', name: 'errors', text: errorTable },
  { document: 'host/payment-api.md', name: 'order-moves', text: orderMoves },
  { document: 'host/payment-api.md', name: 'transfer-moves', text: transferMoves },
  { document: 'host/payment-api.md', name: 'access-moves', text: accessMoves },
  { document: 'host/payment-api.md', name: 'callback-schedule', text: callbackSchedule },
  { document: `${GUIDES}/errors.md`, name: 'v1-errors', text: v1ErrorTable },
  { document: `${GUIDES}/errors.md`, name: 'errors', text: errorTable },
  { document: `${GUIDES}/webhooks.md`, name: 'callback-schedule', text: callbackSchedule },
  { document: SHOP_FACTS, name: 'plugins', text: () => table(PLUGINS_HEAD, pluginRows()) },
  { document: SHOP_FACTS, name: 'calls', text: () => table(CALLS_HEAD, callRows()) },
];

/** A document with one of its derived parts written anew. @throws Error where the document has no place for it */
export function withPart(document: string, { name, text }: DerivedPart): string {
  const [begin, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The lines "${begin}" and "${end}" are missing.`);
  return `${document.slice(0, from)}${begin}\n\n${text()}\n\n${document.slice(to)}`;
}
