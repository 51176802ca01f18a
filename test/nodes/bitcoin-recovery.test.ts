import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { accountDescriptor, withChecksum } from '../../adapters/chains/utxo/output-descriptor.ts';
import { definition as bitcoin } from '../../plugins/bitcoin/definition.ts';
import { waitFor } from '../support/wait.ts';
import { MNEMONIC, UtxoFixture } from './utxo-fixture.ts';

const { accounts, publicKeyVersion } = bitcoin.networks.regtest;
/** BIP-32 on test networks: `tpub` and `tprv`. */
const VERSIONS = { public: publicKeyVersion, private: 0x04358394 };

describe('recovery of a Bitcoin deposit', () => {
  let fixture: UtxoFixture;
  before(async () => void (fixture = await UtxoFixture.start('bitcoind')));
  after(async () => {
    await fixture.chain.close();
    await fixture.daemon.stop();
  });

  test('the node’s own descriptor wallet, with the seed words and the printed descriptor, finds and spends it', async () => {
    const { rpc } = fixture.daemon;
    for (let i = 0; i < 5; i++) await fixture.address();
    await fixture.deposit('1');
    const printed = accountDescriptor(
      await fixture.wallet.extendedPublicKey(accounts.deposit),
      publicKeyVersion,
      '0/*',
    );
    // Whoever has the words has the account's private key, and puts it in the place of the public one.
    const account = HDKey.fromMasterSeed(mnemonicToSeedSync(MNEMONIC), VERSIONS).derive(accounts.deposit);
    const [body = ''] = printed.split('#');
    const spending = withChecksum(body.replace(account.publicExtendedKey, account.privateExtendedKey));
    assert.notEqual(spending, printed);

    await rpc('createwallet', 'recovered', false, true);
    for (const name of await rpc<string[]>('listwallets')) if (name !== 'recovered') await rpc('unloadwallet', name);
    const imported = await rpc<{ success: boolean }[]>('importdescriptors', [
      { desc: spending, range: [0, 20], timestamp: 0, active: false },
    ]);
    assert.deepEqual(
      imported.map(({ success }) => success),
      [true],
    );
    await waitFor(async () => Number(await rpc('getbalance')) === 1, {
      describe: 'the balance of the recovered wallet',
    });
    const to = (await fixture.chain.deriveAddresses(90, 1))[0]?.address ?? '';
    const { txid } = await rpc<{ txid: string }>('sendall', [to]);
    await fixture.daemon.mine();
    const spent = await rpc<{ value: string | number; scriptPubKey: { address: string } }>('gettxout', txid, 0);
    assert.equal(spent.scriptPubKey.address, to);
    assert.ok(Number(spent.value) > 0.9 && Number(spent.value) < 1, `${spent.value}`);
  });
});
