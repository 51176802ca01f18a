/** Loaded before a till: its machine's clock differs by DRILL_CLOCK_MS. */
const shift = Number(process.env['DRILL_CLOCK_MS']);
const now = Date.now.bind(Date);

globalThis.Date = class extends Date {
  static override now(): number {
    return now() + shift;
  }

  constructor(...args: readonly unknown[]) {
    super(...((args.length === 0 ? [now() + shift] : args) as [number]));
  }
} as DateConstructor;
