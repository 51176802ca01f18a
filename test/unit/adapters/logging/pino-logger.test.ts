import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PinoLogger } from '../../../../adapters/logging/index.ts';
import type { PinoLoggerOptions } from '../../../../adapters/logging/index.ts';
import { TillgateError } from '../../../../core/index.ts';

/** A logger and the lines that it wrote, as text and as JSON. */
function capture(options: PinoLoggerOptions = {}): {
  logger: PinoLogger;
  text: () => string;
  lines: () => Record<string, unknown>[];
} {
  let text = '';
  const logger = new PinoLogger({
    level: 'debug',
    destination: { write: (line: string) => void (text += line) },
    ...options,
  });
  const lines = (): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, text: () => text, lines };
}

function without(line: Record<string, unknown> | undefined, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(line ?? {}).filter(([name]) => !names.includes(name)));
}

describe('PinoLogger', () => {
  test('writes one line of JSON with level, time, fields and message', () => {
    const { logger, lines } = capture();
    logger.info('order paid', { orderId: '1', units: 10n ** 30n, flag: true, none: null, missing: undefined });
    const [line] = lines();
    assert.deepEqual(without(line, 'time'), {
      level: 'info',
      orderId: '1',
      units: '1000000000000000000000000000000',
      flag: true,
      none: null,
      msg: 'order paid',
    });
    assert.match(String(line?.['time']), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test('writes every level from its own up', () => {
    const { logger, lines } = capture({ level: 'warn' });
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');
    assert.deepEqual(
      lines().map(({ level, msg }) => [level, msg]),
      [
        ['warn', 'c'],
        ['error', 'd'],
      ],
    );
    const silent = capture({ level: 'silent' });
    silent.logger.error('e');
    assert.equal(silent.text(), '');
  });

  test('children add their fields, cleaned, and theirs do the same', () => {
    const { logger, lines } = capture();
    logger.child({ chain: 'ETH', apiKey: 'tak_1234567' }).child({ loop: 'follow' }).warn('slow', { ms: 5 });
    assert.deepEqual(without(lines()[0], 'time'), {
      level: 'warn',
      chain: 'ETH',
      apiKey: '[redacted]',
      loop: 'follow',
      ms: 5,
      msg: 'slow',
    });
  });

  test("a field can't take the place of the level, the time or the message", () => {
    const { logger, text, lines } = capture();
    logger.error('real', { level: 'info', msg: 'forged', time: 0 });
    assert.deepEqual(without(lines()[0], 'time'), {
      level: 'error',
      level_: 'info',
      msg_: 'forged',
      time_: 0,
      msg: 'real',
    });
    assert.equal(text().split('\n').length, 2);
  });

  test("a newline in a message can't begin a line", () => {
    const { logger, text } = capture();
    logger.info('a\n{"level":"error","msg":"forged"}', { field: 'b\nc' });
    assert.equal(text().trimEnd().split('\n').length, 1);
  });

  test('values of every kind become plain data', () => {
    const { logger, lines } = capture();
    class Account {
      readonly passwordHash = 'canary';
    }
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    logger.info('kinds', {
      date: new Date(0),
      noDate: new Date(Number.NaN),
      bytes: Buffer.from('canary'),
      account: new Account(),
      url: new URL('https://a.example/canary'),
      map: new Map<unknown, unknown>([
        ['password', 'canary'],
        [1, 2],
      ]),
      set: new Set(['a']),
      call: () => 'canary',
      symbol: Symbol('canary'),
      infinite: Infinity,
      bare: Object.assign(Object.create(null) as object, { a: 1 }),
      long: Array.from({ length: 1000 }, (_, index) => index),
      circle,
    });
    const [line] = lines();
    assert.doesNotMatch(JSON.stringify(line), /canary/);
    assert.deepEqual(without(line, 'time', 'level', 'msg', 'long', 'circle'), {
      date: '1970-01-01T00:00:00.000Z',
      noDate: '[Date]',
      bytes: '[6 bytes]',
      account: '[object]',
      url: 'https://a.example/…',
      map: { password: '[redacted]', 1: 2 },
      set: ['a'],
      call: '[function]',
      symbol: '[symbol]',
      infinite: 'Infinity',
      bare: { a: 1 },
    });
    assert.equal((line?.['long'] as unknown[]).length, 50);
  });

  test('names are cleaned too, and `__proto__` is one like any other', () => {
    const { logger, text } = capture();
    logger.info('names', { tak_canary12345: 1, nested: JSON.parse('{"__proto__":{"a":1}}') as unknown });
    assert.doesNotMatch(text(), /canary/);
    assert.match(text(), /"nested":\{"__proto__":\{"a":1\}\}/);
  });

  test('a getter that throws costs the fields, not the caller', () => {
    const { logger, lines } = capture();
    logger.error(
      'still told',
      Object.defineProperty({}, 'bad', { enumerable: true, get: () => assert.fail('getter') }),
    );
    assert.deepEqual(without(lines()[0], 'time'), { level: 'error', fields: '[unreadable]', msg: 'still told' });
  });
});

describe('fault 73: errors', () => {
  test('a refusal is its code, message, details and causes, without stack and without the signing text', () => {
    const { logger, lines } = capture();
    const cause = new TypeError('fetch of https://node.example/v3/canary failed');
    const details = {
      signing: { algorithm: '', date: '', requestInfo: '', bodyMd5: '', signatureOrigin: 'canary' },
      fields: [{ path: 'price', message: 'must be a number' }],
      apiKey: 'canary',
    };
    logger.warn('refused', {
      error: new TillgateError('SIGNATURE_INVALID', 'The signature does not verify.', details, cause),
    });
    const [line] = lines();
    assert.doesNotMatch(JSON.stringify(line), /canary/);
    const { cause: told, ...error } = line?.['error'] as Record<string, unknown>;
    assert.deepEqual(error, {
      name: 'TillgateError',
      code: 'SIGNATURE_INVALID',
      message: 'The signature does not verify.',
      details: { fields: [{ path: 'price', message: 'must be a number' }], apiKey: '[redacted]' },
    });
    assert.equal((told as Record<string, unknown>)['message'], 'fetch of https://node.example/… failed');
  });

  test('another error has the frames of its stack, and none of the things that libraries hang on it', () => {
    const { logger, lines } = capture();
    const error = Object.assign(new Error('connect failed: tss_canary1234\nsecond line'), {
      code: 'ECONNREFUSED',
      config: { headers: { 'API-Key': 'canary' } },
      request: 'canary',
    });
    logger.error('failed', { error });
    const told = lines()[0]?.['error'] as Record<string, string>;
    assert.deepEqual(Object.keys(told), ['name', 'code', 'message', 'stack']);
    assert.equal(told['message'], 'connect failed: tss_[redacted]\nsecond line');
    assert.match(told['stack'] ?? '', /^ {4}at /);
    assert.doesNotMatch(JSON.stringify(told), /canary/);
  });

  test('several errors in one, causes without end and causes that are no errors are all bounded', () => {
    const { logger, lines } = capture();
    const looped = new Error('looped');
    looped.cause = looped;
    logger.error('failed', {
      many: new AggregateError([new Error('a'), 'tak_canary12'], 'both'),
      looped,
      odd: new Error('odd', { cause: 'tak_canary12' }),
    });
    const [line] = lines();
    assert.doesNotMatch(JSON.stringify(line), /canary/);
    assert.equal((line?.['many'] as { errors: unknown[] }).errors.length, 2);
    assert.ok(JSON.stringify(line).length < 30_000);
  });
});
