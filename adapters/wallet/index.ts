/**
 * The till's wallet: a seed that gives out public keys only.
 *
 * @packageDocumentation
 */
export { MnemonicWallet, NoWallet, generateMnemonic } from './mnemonic-wallet.ts';
