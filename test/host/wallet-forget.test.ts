import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SignerProcess } from '../e2e/signer-process.ts';
import { freshDirectory, killAll, run } from './till-process.ts';

const OTHER_WORDS = 'test test test test test test test test test test test junk';
const CHAINS = { ETH: { payments: { ETH: { most: '1', perDay: '2' } }, fees: { most: '0.1', perDay: '1' } } };

describe('a seed that moves from the server to a signer', () => {
  const directory = freshDirectory();
  let signer: SignerProcess;
  before(async () => {
    signer = await SignerProcess.start(OTHER_WORDS, CHAINS);
  });
  after(async () => {
    await signer.close();
    await killAll();
    directory.remove();
  });
  const settings = (more: object): void => directory.write('tillgate.config.json', { mode: 'sandbox', ...more });
  const refused = async (words: RegExp, ...args: readonly string[]): Promise<void> => {
    const { code, out, err } = await run(directory.path, args);
    assert.deepEqual([code, out], [1, ''], err);
    assert.match(err, words);
  };

  test('is removed from the database once the signer has it, and not before', async () => {
    settings({});
    const { mnemonic } = JSON.parse((await run(directory.path, ['wallet', 'init', '--json'])).out) as {
      readonly mnemonic: string;
    };
    await refused(/The setting signer is missing/, 'wallet', 'forget');
    settings({ signer: { url: signer.url } });
    await refused(/The signer has another seed .*nothing was removed/, 'wallet', 'forget');
    await signer.kill();
    await refused(/cannot be reached/, 'wallet', 'forget');
    signer.writeSeed(mnemonic);
    await signer.run();
    await refused(/A seed is stored .*wallet forget/, 'wallet', 'show');
    const { code, out, err } = await run(directory.path, ['wallet', 'forget']);
    assert.equal(code, 0, err);
    assert.match(out, /backups .* still contain it/);
    assert.equal((await run(directory.path, ['wallet', 'show'])).code, 0);
    await refused(/No seed is stored/, 'wallet', 'forget');
  });
});
