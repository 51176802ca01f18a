import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import knex from 'knex';
import type { AlertId } from '../../core/index.ts';
import { FakeSmtpServer } from '../support/smtp-server.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';

const OWNER = 'owner@merchant.example';
const KIND = { kind: 'loss', subject: 'chain ETH', reason: 'The hot wallet holds less than the ledger says.' } as const;

describe('notices of a running till, and commands about them', () => {
  const directory = freshDirectory();
  const mail = new FakeSmtpServer();
  const filename = join(directory.path, 'data', 'tillgate.db');
  before(async () => {
    await mail.listen();
    const options = { host: '127.0.0.1', port: mail.port, security: 'none-loopback-only', from: 'till@shop.example' };
    const plugins = [{ use: 'sandbox' }, { use: 'smtp', options }];
    directory.write('tillgate.config.json', { mode: 'sandbox', plugins });
  });
  afterEach(killAll);
  after(async () => {
    await mail.close();
    directory.remove();
  });
  const json = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await run(directory.path, [...args, '--json'], {}, undefined, 'a better password\n');
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, unknown>;
  };
  /** The mails to the merchant; the operator of the sandbox gets a summary of the day before. */
  const toOwner = () => mail.mails.filter(({ to }) => to.includes(OWNER));
  const idsOf = (): readonly (string | undefined)[] =>
    toOwner().map(({ raw }) => /^Message-ID: (<.+>)$/im.exec(raw)?.[1]);

  test('fault 206: what a command changes is told by the server; killed before it has noted that, it sends the same Message-ID again', async () => {
    const till = serve(directory.path);
    await till.url();
    const { id } = await json('account', 'create', '--email', OWNER, '--password-stdin');
    let isOwners = false;
    mail.odd = (command, line) => {
      if (command === 'RCPT') isOwners = line.includes(OWNER);
      return command === 'DATA-TAKEN' && isOwners ? 'hang' : null;
    };
    await json('account', 'reset-password', '--account', String(id), '--password-stdin');
    const first = await waitFor(() => toOwner()[0], {
      timeoutMs: 30_000,
      describe: () => `a mail; ${till.out}${till.err}`,
    });
    const { to, raw } = first;
    assert.deepEqual(to, [OWNER]);
    assert.match(raw, /^Subject: An operator reset the password$/im);
    assert.ok(!raw.includes('a better password'));
    await till.signal('SIGKILL');
    const database = knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true });
    // In place of waiting for the end of the lease.
    await database.raw('UPDATE notices SET claimed_until = 0');
    await database.destroy();
    mail.odd = () => null;
    const again = serve(directory.path);
    await again.url();
    await waitFor(() => toOwner()[1], {
      timeoutMs: 30_000,
      describe: () => `a second mail; ${again.out}${again.err}`,
    });
    assert.equal(new Set(idsOf()).size, 1);
    assert.equal((await again.signal('SIGTERM')).code, 0);
    assert.equal(toOwner().length, 2);
  });

  test('the doctor asks the mail server, and says what is wrong', async () => {
    const well = await run(directory.path, ['doctor']);
    assert.match(well.out, /^ok {3} notices by smtp: 127\.0\.0\.1:\d+ accepts mail \(none-loopback-only\)$/m);
    mail.odd = (command) => (command === 'BANNER' ? '421 4.3.2 not now' : null);
    const sick = await run(directory.path, ['doctor']);
    mail.odd = () => null;
    assert.equal(sick.code, 1);
    assert.match(sick.out, /^WRONG notices by smtp: 127\.0\.0\.1:\d+ does not accept mail: /m);
  });

  test('alert list shows what is open, by status, in words and as JSON', async () => {
    const list = (...more: string[]) => run(directory.path, ['alert', 'list', ...more]);
    const storage = await openStorageAlone({ client: 'sqlite', filename }, { logger: silentLogger });
    const at = Date.UTC(2026, 0, 1);
    const id = '1530219844911046800' as AlertId;
    const open = {
      status: 'OPEN',
      firstAt: at,
      lastAt: at,
      count: 1,
      acknowledgedAt: null,
      acknowledgedBy: null,
    } as const;
    await storage.transaction((tx) => tx.alerts.raise({ id, ...KIND, ...open }));
    await storage.transaction((tx) => tx.alerts.raise({ id: '1530219844911046801' as AlertId, ...KIND, ...open }));
    await storage.close();
    const { out } = await list();
    assert.equal(out.trim(), `${id}  2026-01-01T00:00:00.000Z  OPEN  loss  chain ETH  ×2  ${KIND.reason}`);
    assert.equal((await list('--status', 'ACKNOWLEDGED')).out.trim(), 'There are no alerts.');
    const [record] = JSON.parse((await list('--status', 'OPEN', '--json')).out) as Record<string, unknown>[];
    assert.deepEqual([record?.['id'], record?.['count']], [id, 2]);
    const wrong = await list('--status', 'CLOSED');
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /--status: must be one of OPEN, ACKNOWLEDGED/);
  });
});
