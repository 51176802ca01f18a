import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { endWithThisProcess, stopProcess } from '../support/processes.ts';
import { argumentsOf } from '../support/source-program.ts';
import { requestOf, startUpstream } from '../lab/bench/support/plain-node.ts';
import type { Made } from './allocation-program.ts';
import { HOST, KEY } from './support.ts';

const WARM_UP = 6_000;
const CALLS = 2_000;
const MOST_ATTEMPTS = 10;
/** It takes 4,500; the general way takes 11,200. */
const MOST_BYTES = 7_000;

test('a call over a kept connection makes no promise, and next to nothing for the garbage collector', async (t) => {
  const upstream = await startUpstream();
  t.after(() => upstream.close());
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const words = argumentsOf('test/gateway/allocation-program.ts');
  const child = fork(words.at(-1) ?? '', [url], {
    execArgv: [...words.slice(0, -1), '--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
  });
  endWithThisProcess(child);
  t.after(() => stopProcess(child));
  const [port] = (await once(child, 'message')) as [number];
  const said = async (): Promise<Made> => {
    const message = once(child, 'message');
    child.send('made');
    return ((await message) as [Made])[0];
  };
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  const request = requestOf(HOST, KEY);
  /** One call after another. */
  const calls = (count: number): Promise<void> =>
    new Promise((resolve) => {
      let left = count;
      const onData = (): void => {
        left -= 1;
        if (left > 0) socket.write(request);
        else {
          socket.off('data', onData);
          resolve();
        }
      };
      socket.on('data', onData);
      socket.write(request);
    });
  await calls(WARM_UP);
  await said();
  let made: Made;
  let attempts = 0;
  do {
    await calls(CALLS);
    made = await said();
    // V8 also collects by time, while there is little to do.
  } while (made.collections > 0 && ++attempts < MOST_ATTEMPTS);
  const { bytes, promises, collections } = made;
  assert.equal(collections, 0);
  t.diagnostic(`${Math.round(bytes / CALLS)} bytes, ${promises} promises for ${CALLS} calls`);
  // Those of the timers of a few seconds.
  assert.ok(promises < CALLS / 10, `${promises} promises`);
  assert.ok(bytes / CALLS < MOST_BYTES, `${Math.round(bytes / CALLS)} bytes a call`);
});
