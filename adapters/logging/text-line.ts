const TIME = /T(\d\d:\d\d:\d\d)/;

/** A JSON line of {@link PinoLogger} as a person reads it: time, level, message, then the fields; an error's stack below. */
export function textLine(line: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const clock = TIME.exec(String(time))?.[1] ?? '';
  const named = Object.entries({ ...fields, ...(error === undefined ? {} : { error: messageOf(error) }) });
  const words = named.map(([name, value]) => `${name}=${valueText(value)}`);
  return [`${clock} ${String(level).padEnd(5)} ${String(msg)}`, ...words].join('  ') + stackOf(error);
}

function valueText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  // Control characters of a value must not move the cursor of a terminal.
  return /^[^\s"\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
}

function messageOf(error: unknown): unknown {
  const { message } = (error ?? {}) as { message?: unknown };
  return message ?? error;
}

function stackOf(error: unknown): string {
  const { stack } = (error ?? {}) as { stack?: unknown };
  const lines = Array.isArray(stack) ? stack.map(String) : (typeof stack === 'string' ? stack : '').split('\n');
  const frames = lines.filter((each) => /^\s*at /.test(each));
  return `\n${frames.map((frame) => `    ${frame.trim()}\n`).join('')}`;
}
