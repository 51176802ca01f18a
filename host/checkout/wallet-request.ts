import type { ChainCode } from '../../core/index.ts';
import { EVM_PRESETS } from '../../plugins/evm/presets.ts';

/**
 * A payment request for a wallet in the browser (EIP-1193, `eth_sendTransaction`). Numbers are hexadecimal quantities.
 */
export interface WalletRequest {
  readonly chainId: string;
  readonly to: string;
  readonly value: string;
  /** Empty for the chain's native coin. */
  readonly data: string;
  /** The chain's description for a wallet that does not know it (EIP-3085); `null` where no public RPC URL is known. */
  readonly network: WalletNetwork | null;
}

/** The parameter of `wallet_addEthereumChain`. */
export interface WalletNetwork {
  readonly chainId: string;
  readonly chainName: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly rpcUrls: readonly string[];
  readonly blockExplorerUrls: readonly string[];
}

const ADDRESS = '0x[0-9a-fA-F]{40}';
const COIN = new RegExp(`^ethereum:(${ADDRESS})@(\\d{1,16})\\?value=(\\d{1,78})$`);
const TOKEN = new RegExp(`^ethereum:(${ADDRESS})@(\\d{1,16})/transfer\\?address=(${ADDRESS})&uint256=(\\d{1,78})$`);
/** The selector of ERC-20's `transfer(address,uint256)`. */
const TRANSFER = 'a9059cbb';
const WORD_DIGITS = 64;

/** The wallet request for a payment link (EIP-681); `null` for a payment on another kind of chain. */
export function walletRequest(chain: ChainCode, uri: string): WalletRequest | null {
  const coin = COIN.exec(uri);
  if (coin !== null) {
    const [, to = '', chainId = '', units = ''] = coin;
    return { ...onChain(chain, chainId), to, value: quantity(units), data: '' };
  }
  const token = TOKEN.exec(uri);
  if (token === null) return null;
  const [, contract = '', chainId = '', to = '', units = ''] = token;
  return {
    ...onChain(chain, chainId),
    to: contract,
    value: '0x0',
    data: `0x${TRANSFER}${word(to)}${word(quantity(units))}`,
  };
}

function onChain(chain: ChainCode, id: string): Pick<WalletRequest, 'chainId' | 'network'> {
  const chainId = quantity(id);
  const preset = Object.values(EVM_PRESETS).find(
    ({ code, chainId: own }) => code === chain && quantity(own) === chainId,
  );
  if (preset === undefined) return { chainId, network: null };
  const { name, coin, publicRpcUrl, explorer } = preset;
  const network = {
    chainId,
    chainName: name,
    nativeCurrency: { name: coin.symbol, symbol: coin.symbol, decimals: coin.decimals },
    // Never the till's own node, whose URL may contain a key.
    rpcUrls: [publicRpcUrl],
    blockExplorerUrls: [new URL(explorer).origin],
  };
  return { chainId, network };
}

function quantity(decimal: string | number): string {
  return `0x${BigInt(decimal).toString(16)}`;
}

function word(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(WORD_DIGITS, '0');
}
