import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, test } from 'node:test';
import { freshDatabase } from '../support/postgres.ts';
import { countStatements } from '../support/statement-counter.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory, killAll, serve } from './till-process.ts';

const SECONDS = 5;
const AT_MOST_A_SECOND = 20;

after(killAll);

test('fault 312: a till with five chains and nothing to do sends its database no more than 20 statements a second', async () => {
  const { url, drop } = await freshDatabase();
  const counter = await countStatements(url);
  const folder = freshDirectory();
  try {
    folder.write('tillgate.config.json', { mode: 'sandbox' });
    const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
    const till = serve(folder.path, { TILLGATE_DATABASE_URL: counter.url, TILLGATE_MASTER_KEY: key });
    await till.url();
    const measure = async (): Promise<ReadonlyMap<string, number>> => {
      const before = new Map(counter.sent);
      await pause(SECONDS * 1_000);
      return new Map([...counter.sent].map(([text, count]) => [text, count - (before.get(text) ?? 0)]));
    };
    let last: ReadonlyMap<string, number> = new Map();
    const sum = (): number => [...last.values()].reduce((total, count) => total + count, 0);
    // What a fresh till does first has an end; what it does for ever has none.
    await waitFor(async () => ((last = await measure()), sum() <= AT_MOST_A_SECOND * SECONDS), {
      timeoutMs: 60_000,
      describe: () =>
        `at most ${AT_MOST_A_SECOND} a second; it was ${sum() / SECONDS}:\n` +
        [...last]
          .sort(([, a], [, b]) => b - a)
          .slice(0, 25)
          .map(([text, count]) => `${count / SECONDS} ${text.slice(0, 150)}`)
          .join('\n'),
    });
    assert.ok(sum() > 0, 'nothing was counted');
    assert.equal((await till.signal('SIGTERM')).code, 0);
  } finally {
    await killAll();
    await counter.close();
    await drop();
    folder.remove();
  }
});
