import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SignerClient, SignerServer, SqliteJournal } from '../../../adapters/signer/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { PolicySigner, isTillgateError } from '../../../core/index.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';
import { selfSigned } from '../../unit/adapters/callbacks/certificate.ts';
import type { TestCertificate } from '../../unit/adapters/callbacks/certificate.ts';
import { runSigner } from '../../../host/signer/run-signer.ts';
import { readSignerSettings } from '../../../host/signer/signer-settings.ts';

const WORDS = 'test test test test test test test test test test test junk';
const PATH = "m/44'/60'/0'";

const unavailable =
  (words: RegExp) =>
  (error: unknown): boolean =>
    isTillgateError(error, 'SIGNER_UNAVAILABLE') && words.test(error.message);

describe('a signer behind mutual TLS', () => {
  // Each side trusts exactly the other's certificate.
  const [server, till, foreign] = [selfSigned('localhost'), selfSigned('till'), selfSigned('till')];
  let running: SignerServer;
  let url: string;
  let journal: SqliteJournal;
  const client = (ca: TestCertificate, identity: Partial<TestCertificate>): SignerClient =>
    new SignerClient({ url, tls: { ca: ca.cert, ...(identity as TestCertificate) } });

  before(async () => {
    journal = await SqliteJournal.open(':memory:');
    const keys = new MnemonicWallet(WORDS);
    const signer = new PolicySigner({ keys, journal, clock: new FakeClock(), chains: new Map(), hash: () => '' });
    running = new SignerServer({ signer, journal, chains: [], logger: new MemoryLogger() });
    url = await running.listen({ host: 'localhost', port: 0, ca: till.cert, ...server });
  });
  after(async () => {
    await running.close();
    await journal.close();
  });

  test('answers whoever has the certificate that it trusts', async () => {
    const expected = await new MnemonicWallet(WORDS).extendedPublicKey(PATH);
    assert.equal(await client(server, till).extendedPublicKey(PATH), expected);
    assert.deepEqual(await client(server, till).status(), { version: 1, stopped: null, chains: [] });
  });

  test('answers nobody without one, nor with another one', async () => {
    await assert.rejects(client(server, {}).extendedPublicKey(PATH), unavailable(/cannot be reached/));
    await assert.rejects(client(server, foreign).extendedPublicKey(PATH), unavailable(/cannot be reached/));
  });

  test('a till asks no signer with another certificate', async () => {
    await assert.rejects(client(foreign, till).extendedPublicKey(PATH), unavailable(/cannot be reached/));
  });
});

describe('a signer’s socket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-signer-'));
  after(() => rmSync(folder, { recursive: true }));
  const settings = (listen: object, name: string): ReturnType<typeof readSignerSettings> => {
    writeFileSync(join(folder, 'seed'), WORDS);
    const fees = { most: '0.1', perDay: '1' };
    const chains = { ETH: { payments: {}, fees } };
    writeFileSync(join(folder, 's.json'), JSON.stringify({ listen, dataDir: name, mnemonicFile: 'seed', chains }));
    return readSignerSettings(join(folder, 's.json'));
  };
  const start = (listen: object, name: string) => runSigner(settings(listen, name), new MemoryLogger());
  const mode = (...path: readonly string[]): number => statSync(join(folder, ...path)).mode & 0o777;

  test('is for its own user; with `group`, for a group too', async () => {
    const [own, shared] = [
      await start({ socket: 'own/s.sock' }, 'a'),
      await start({ socket: 'shared/s.sock', group: true }, 'b'),
    ];
    assert.deepEqual([mode('own'), mode('own', 's.sock')], [0o700, 0o600]);
    assert.deepEqual([mode('shared'), mode('shared', 's.sock')], [0o750, 0o660]);
    await Promise.all([own.close(), shared.close()]);
  });

  test('a folder in which anybody could put another one is refused', async () => {
    mkdirSync(join(folder, 'open'));
    chmodSync(join(folder, 'open'), 0o777);
    await assert.rejects(start({ socket: 'open/s.sock' }, 'c'), /Any user can create a socket/);
  });

  test('one that a killed signer left is replaced; a running signer’s, and what is no socket, are not', async () => {
    const first = await start({ socket: 'left/s.sock' }, 'd');
    await assert.rejects(start({ socket: 'left/s.sock' }, 'e'), /Another signer listens/);
    await assert.rejects(start({ socket: 'elsewhere/s.sock' }, 'd'), /Another server is running/);
    await first.close();
    writeFileSync(join(folder, 'left', 'file'), '');
    await assert.rejects(start({ socket: 'left/file' }, 'f'), /is not a socket/);
    assert.ok(existsSync(join(folder, 'left', 'file')));
  });

  test('what is no request of the protocol is refused, and the signer goes on', async () => {
    const running = await start({ socket: 'odd/s.sock' }, 'g');
    const post = (body: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request({ socketPath: join(folder, 'odd', 's.sock'), method: 'POST', agent: false }, (reply) => {
          reply.resume().on('end', () => resolve(reply.statusCode ?? 0));
        });
        sent.on('error', reject);
        sent.end(body);
      });
    const key = { version: 1, ask: 'public-key', path: PATH };
    assert.equal(await post(JSON.stringify(key)), 200);
    for (const body of [
      '',
      '{',
      '[]',
      '{"ask":"status"}',
      '{"version":2,"ask":"status"}',
      '{"version":1,"ask":"seed"}',
    ])
      assert.equal(await post(body), 403, body);
    assert.equal(await post(JSON.stringify({ ...key, digest: '00' })), 403);
    assert.equal(await post(JSON.stringify({ version: 1, ask: 'sign', intent: { family: 'evm', chain: 'ETH' } })), 403);
    assert.equal(await post(JSON.stringify({ ...key, path: 'm' })), 503);
    assert.equal(await post(JSON.stringify(key)), 200);
    await running.close();
  });
});
