import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkLedger } from '../../core/index.ts';
import { envelope } from '../support/http.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';

const DISK = '24m';
/** Of util-linux. */
const PROGRAMS = { mount: 'mount', unmount: 'umount' };

/** A folder on a small disk of its own, where this process may mount one; `null` where it may not. */
function smallDisk(): { readonly folder: string; remove(): void } | null {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-disk-'));
  const mounted = spawnSync(PROGRAMS.mount, ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder]).status === 0;
  const remove = (): void => {
    if (mounted) spawnSync(PROGRAMS.unmount, ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  };
  if (mounted) return { folder, remove };
  remove();
  return null;
}

test('fault 67: a disk that is really full is 50300 at the edge, leaves nothing half done, and room is all it takes to go on', async (t) => {
  const disk = smallDisk();
  if (disk === null) {
    t.diagnostic(
      'no disk may be mounted here: what a full one does is shown by a limit of pages only, in test/contract/storage/sqlite.test.ts',
    );
    return;
  }
  const storage = await openStorageAlone(
    { client: 'sqlite', filename: join(disk.folder, 'till.db') },
    { logger: silentLogger, guardNesting: true },
  );
  await storage.migrate();
  const till = await startTestTill(
    { storage },
    {
      settings: { limits: { requestsPerMinute: 1_000_000 } },
    },
  );
  t.after(async () => {
    await till.close();
    await storage.close();
    disk.remove();
  });
  const { merchant } = till;
  let made = 0;
  const order = async (): Promise<number> => {
    const body = {
      chain: 'ETH',
      currency: 'ETH',
      vs_currency: 'USD',
      vs_price: 10,
      callback_url: `https://shop.example/${'x'.repeat(1_500)}`,
    };
    const { code } = envelope(await merchant.client.post('/api/order/pay-info', body));
    if (code === 0) made += 1;
    return code;
  };
  assert.equal(await order(), 0);

  const ballast = join(disk.folder, 'ballast');
  const { bavail, bsize } = statfsSync(disk.folder);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 64 * 1024));
  const codes = new Set<number>();
  for (let tries = 0; tries < 400 && !codes.has(50300); tries++) codes.add(await order());
  assert.ok(codes.has(50300), `never full: ${[...codes].join(', ')}`);
  assert.equal(envelope(await till.client.get('/readyz')).code, 50300, 'fault 363: it answers, and is not ready');
  for (let tries = 0; tries < 5; tries++) codes.add(await order());
  assert.deepEqual(
    [...codes].filter((code) => code !== 0),
    [50300],
  );
  assert.deepEqual(await checkLedger(storage), []);
  assert.equal(
    (await storage.orders.list(merchant.account.id, { page: 1, size: 1 })).total,
    made,
    'what was answered is there, and nothing else',
  );

  rmSync(ballast);
  assert.equal(await order(), 0);
  till.clock.advance(5_000);
  assert.equal(envelope(await till.client.get('/readyz')).code, 0);
  assert.equal((await storage.orders.list(merchant.account.id, { page: 1, size: 1 })).total, made);
  assert.deepEqual(await storage.integrity(), []);
  t.diagnostic(`full after ${made - 1} orders`);
});
