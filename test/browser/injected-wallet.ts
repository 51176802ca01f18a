import type { Page } from 'playwright-core';
import type { Anvil } from '../support/anvil.ts';

/** What a payer's wallet does. */
export interface WalletManners {
  /** The account that it reports, and one that anvil signs for. */
  reported: string;
  signs: string;
  chainId: number;
  /** Networks that it can change to. */
  knows: number[];
  /** Refuses to send, as a person who presses "Reject". */
  refuses: boolean;
  /** Answers with the id of a transaction that it never sends. */
  lies: boolean;
  /** Stays on its network whatever it is asked. */
  stays: boolean;
}

/** A call that a wallet got. */
export interface WalletCall {
  readonly method: string;
  readonly params: readonly Record<string, unknown>[];
}

/** A wallet in a page, and what it was asked. */
export interface InjectedWallet {
  readonly manners: WalletManners;
  readonly calls: readonly WalletCall[];
}

type Answer = { readonly result: unknown } | { readonly code: number; readonly message: string };

/**
 * Puts a wallet into a page before anything of the page runs, as an extension does, announced by EIP-6963. It sends by anvil's
 * unlocked accounts, outside of the page, so that the page's content policy is as it is.
 */
export async function injectWallet(page: Page, anvil: Anvil, manners: WalletManners): Promise<InjectedWallet> {
  const calls: WalletCall[] = [];
  const answer = async ({ method, params }: WalletCall): Promise<Answer> => {
    const [first = {}] = params;
    const wanted = Number(first['chainId']);
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return { result: [manners.reported] };
    if (method === 'eth_chainId') return { result: `0x${manners.chainId.toString(16)}` };
    if (method === 'wallet_switchEthereumChain') {
      if (!manners.knows.includes(wanted)) return { code: 4902, message: 'Unrecognized chain ID' };
      if (!manners.stays) manners.chainId = wanted;
      return { result: null };
    }
    if (method === 'wallet_addEthereumChain') {
      manners.knows.push(wanted);
      return { result: null };
    }
    if (method !== 'eth_sendTransaction') return { code: 4200, message: `no ${method}` };
    if (manners.refuses) return { code: 4001, message: 'User rejected the request.' };
    if (manners.lies) return { result: `0x${'ab'.repeat(32)}` };
    return { result: await anvil.rpc('eth_sendTransaction', [{ ...first, from: manners.signs }]) };
  };
  await page.exposeFunction('askWallet', async (method: string, params: WalletCall['params'] = []) => {
    const call = { method, params };
    calls.push(call);
    return answer(call);
  });
  // As text: what tests are compiled with must not reach the page.
  await page.addInitScript(`(() => {
    const provider = {
      async request({ method, params }) {
        const answer = await window.askWallet(method, params);
        if ('code' in answer) throw Object.assign(new Error(answer.message), { code: answer.code });
        return answer.result;
      },
    };
    const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test <b>Wallet</b>', icon: 'data:,', rdns: 'com.example' };
    const announce = () =>
      window.dispatchEvent(
        new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }),
      );
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  })()`);
  return { manners, calls };
}
