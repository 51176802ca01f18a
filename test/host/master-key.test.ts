import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { masterKeyId } from '../../adapters/crypto/index.ts';
import { instanceName, instancesWithAnotherKey } from '../../host/wallet/master-key.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const only = (key: Buffer): Record<string, string> => ({ TILLGATE_MASTER_KEY: key.toString('base64') });
const BOTH = { ...only(NEW), TILLGATE_MASTER_KEY_FORMER: OLD.toString('base64') };

describe('the master key of a server', () => {
  const directory = freshDirectory();
  afterEach(killAll);
  after(() => directory.remove());

  test('is replaced while a server with both keys runs, and from then on the former one opens nothing', async () => {
    let server = serve(directory.path, only(OLD));
    await server.url();
    const { api_key: apiKey } = JSON.parse(readFileSync(join(directory.path, 'data/demo.json'), 'utf8')) as {
      api_key: string;
    };
    const enters = async (url: string): Promise<number> =>
      (await fetch(`${url}/api/wallets`, { headers: { 'API-Key': apiKey } })).status;
    assert.equal((await server.signal('SIGTERM')).code, 0);

    server = serve(directory.path, BOTH);
    const url = await server.url();
    assert.equal(await enters(url), 200);
    const early = await run(directory.path, ['master-key', 'status', '--json'], BOTH);
    const { key, former, remaining } = JSON.parse(early.out) as { key: string; former: string; remaining: number };
    assert.deepEqual([key, former], [masterKeyId(NEW), masterKeyId(OLD)]);
    assert.ok(remaining >= 3, early.out);
    const rotated = await run(directory.path, ['master-key', 'rotate', '--json'], BOTH);
    assert.deepEqual(
      [rotated.code, JSON.parse(rotated.out)],
      [0, { resealed: remaining, remaining: 0, unreadable: [], finished: true }],
      rotated.err,
    );
    assert.equal(await enters(url), 200);
    assert.equal((await server.signal('SIGTERM')).code, 0);

    const stale = await serve(directory.path, only(OLD)).ended();
    assert.match(stale.err, /was replaced/);
    server = serve(directory.path, only(NEW));
    assert.equal(await enters(await server.url()), 200);
    const again = await run(directory.path, ['master-key', 'rotate'], only(NEW));
    assert.match(again.out, /^0 secrets were sealed with the master key; 0 remain/);
  });

  test('is not replaced while an instance runs with the former one alone', async () => {
    mkdirSync(join(directory.path, 'other'));
    const path = join(directory.path, 'other');
    const server = serve(path, only(OLD));
    await server.url();
    // Begins the rotation: the server that runs does not know of it.
    const refused = await run(path, ['master-key', 'rotate'], BOTH);
    assert.equal(refused.code, 1, refused.out);
    assert.match(refused.err, new RegExp(`without the new master key.*server key:${masterKeyId(OLD)}`));
    assert.equal((await server.signal('SIGTERM')).code, 0);
    const done = await run(path, ['master-key', 'rotate'], BOTH);
    assert.equal(done.code, 0, done.err);
    const thief = await run(path, ['wallet', 'show'], only(OLD));
    assert.match(thief.err, /was replaced/);
  });
});

test('an instance that was killed and has a successor with the new key keeps nobody waiting', () => {
  const keys = { current: NEW, former: [OLD] };
  const old = (owner: string): string => instanceName(owner, { current: OLD });
  assert.deepEqual(instancesWithAnotherKey(keys, [old('server'), instanceName('server', keys)]), []);
  assert.deepEqual(instancesWithAnotherKey(keys, [old('a:1'), instanceName('a:2', keys)]), [old('a:1')]);
  assert.deepEqual(instancesWithAnotherKey(keys, ['of a release before']), ['of a release before']);
});
