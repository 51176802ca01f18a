/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { ChainCode } from '../../core/index.ts';
import type { Language } from './languages.ts';
import { walletRequest } from './wallet-request.ts';

interface Shown {
  readonly chain: ChainCode;
  readonly chainName: string;
  /** The payment's link (EIP-681). */
  readonly uri: string;
  readonly language: Language;
}

/**
 * The place where the script puts a button for each wallet in the browser; empty without script or without a wallet.
 */
export function WalletButtons({ chain, chainName, uri, language }: Shown): VNode {
  const request = walletRequest(chain, uri);
  if (request === null) return <></>;
  const { chainId, to, value, data, network } = request;
  return (
    <div
      id="wallets"
      class="wallets"
      hidden
      data-chain={chainId}
      data-to={to}
      data-value={value}
      data-input={data}
      data-network={network === null ? undefined : JSON.stringify(network)}
      data-pay={language.text('walletPay', { wallet: '{wallet}' })}
      data-other={language.text('walletOther')}
      data-asked={language.text('walletAsked')}
      data-sent={language.text('walletSent')}
      data-refused={language.text('walletRefused')}
      data-wrong={language.text('walletNetwork', { chain: chainName })}
      data-failed={language.text('walletFailed')}
    >
      <p class="soft note" role="status" />
    </div>
  );
}
