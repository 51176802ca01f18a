import assert from 'node:assert/strict';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { BridgeLogger } from '../../../../adapters/logging/index.ts';

/** A console, and what was written to it. */
function captured(): { readonly target: Console; readonly text: () => string } {
  let text = '';
  const stream = new Writable({
    write: (part: Buffer, _encoding, done) => {
      text += part.toString();
      done();
    },
  });
  return { target: new Console({ stdout: stream, stderr: stream }), text: () => text };
}

describe('the logger of an application', () => {
  test('that is a console gets lines as the server writes them at a terminal: time, level, message and fields', () => {
    const { target, text } = captured();
    const before = new Date().toISOString().slice(11, 19);
    const logger = new BridgeLogger(target, 'info', { chain: 'ETH' });
    logger.warn('a block is late', { height: 12, note: 'two words' });
    logger.info('%s is no placeholder');
    logger.debug('not shown');
    const after = new Date().toISOString().slice(11, 19);
    const [first = '', second = '', rest] = text().split('\n');
    const [, time = '', words] = /^(\d\d:\d\d:\d\d) (.*)$/.exec(first) ?? [];
    // Midnight aside, when the later time is the smaller one.
    assert.ok(before > after || (before <= time && time <= after), first);
    assert.equal(words, 'warn  a block is late  chain=ETH  height=12  note="two words"');
    assert.match(second, /^\d\d:\d\d:\d\d info {2}%s is no placeholder {2}chain=ETH$/);
    assert.equal(rest, '');
  });

  test('that is a console gets an error with its stack below the line, and no secret', () => {
    const { target, text } = captured();
    new BridgeLogger(target).error('it failed', { error: new Error('no answer'), password: 'hunter22-hunter22' });
    const [first = '', second = ''] = text().split('\n');
    assert.match(first, /^\d\d:\d\d:\d\d error it failed .*error="no answer"/);
    assert.match(second, /^ {4}at /);
    assert.doesNotMatch(text(), /hunter22/);
  });

  test('of another kind gets the message and the fields, and adds a time itself', () => {
    const got: unknown[][] = [];
    const take = (...args: unknown[]): void => void got.push(args);
    new BridgeLogger({ debug: take, info: take, warn: take, error: take }).warn('a block is late', { height: 12 });
    const pinoLike = { debug: take, info: take, warn: take, error: take, bindings: () => ({}) };
    new BridgeLogger(pinoLike).warn('a block is late', { height: 12 });
    assert.deepEqual(got, [
      ['a block is late', { height: 12 }],
      [{ height: 12 }, 'a block is late'],
    ]);
  });
});
