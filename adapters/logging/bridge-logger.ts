import { Console } from 'node:console';
import type { LogFields, Logger } from '../../core/index.ts';
import { cleanFields } from './clean-fields.ts';
import { scrubText } from './secret-text.ts';
import { textLine } from './text-line.ts';

/** The lowest level that is passed on; `silent` for none. */
export type BridgeLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** A logger like pino: fields first, then the message. */
export type PinoLike = Readonly<Record<Exclude<BridgeLevel, 'silent'>, (fields: object, message: string) => void>> & {
  bindings(): object;
};
/** A logger like the console or winston: the message first, then the fields. */
export type ConsoleLike = Readonly<
  Record<Exclude<BridgeLevel, 'silent'>, (message: string, fields?: LogFields) => void>
>;

const URGENCY: Readonly<Record<BridgeLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/**
 * {@link Logger} on the application's own logger. It gets the message and a redacted copy of the fields, as
 * `PinoLogger` writes them, so that no secret reaches it. A console, which adds no time, gets them as the lines that the server
 * writes at a terminal: {@link textLine}.
 */
export class BridgeLogger implements Logger {
  readonly #target: PinoLike | ConsoleLike;
  readonly #level: BridgeLevel;
  readonly #bound: LogFields;

  constructor(target: PinoLike | ConsoleLike, level: BridgeLevel = 'info', bound: LogFields = {}) {
    this.#target = target;
    this.#level = level;
    this.#bound = bound;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new BridgeLogger(this.#target, this.#level, { ...this.#bound, ...fields });
  }

  #write(level: Exclude<BridgeLevel, 'silent'>, message: string, fields: LogFields = {}): void {
    if (URGENCY[level] < URGENCY[this.#level]) return;
    const clean = cleanFields({ ...this.#bound, ...fields });
    const words = scrubText(message);
    if ('bindings' in this.#target) this.#target[level](clean, words);
    else if (isConsole(this.#target)) this.#target[level](lineOf(level, words, clean));
    else if (Object.keys(clean).length === 0) this.#target[level](words);
    else this.#target[level](words, clean);
  }
}

function lineOf(level: string, msg: string, fields: LogFields): string {
  return textLine(JSON.stringify({ ...fields, level, time: new Date().toISOString(), msg })).trimEnd();
}

const isConsole = (target: object): boolean => target === globalThis.console || target instanceof Console;
