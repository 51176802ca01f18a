/**
 * The till's wallet: a seed that returns public keys and signatures, never a private key.
 *
 * @packageDocumentation
 */
export { AccountSigner } from './account-signer.ts';
export { MnemonicWallet, NoWallet, generateMnemonic } from './mnemonic-wallet.ts';
