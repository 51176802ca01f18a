/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { Asset } from '../../core/index.ts';
import { COIN_MARKS, LIGHTNING_MARK } from '../../plugins/coin-marks.ts';
import { isLightning } from './coin-name.ts';

/** A mark that tells a coin from the others; the first letter of its symbol where none is drawn. It adds to the name. */
export function CoinMark({ coin }: { readonly coin: Pick<Asset, 'currency' | 'symbol'> }): VNode {
  const mark = isLightning(coin) ? LIGHTNING_MARK : COIN_MARKS.get(coin.symbol);
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="16" fill={mark?.colour ?? '#56626f'} />
      {mark === undefined ? (
        <text x="16" y="21.5" text-anchor="middle" font-size="16" font-weight="600" fill="#fff">
          {coin.symbol.slice(0, 1)}
        </text>
      ) : (
        <path d={mark.path} fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" />
      )}
    </svg>
  );
}
