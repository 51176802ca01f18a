import { parseUnits } from '../core/index.ts';
import type { AssetCatalogue, ChainRegistry, FieldError, LightningFeeSettings, SweepSettings, WithdrawalSettings } from '../core/index.ts';
import type { TillConfig } from './config.ts';

type Amounts = Readonly<Record<string, string>>;

const byCurrency = (amounts: Amounts): ReadonlyMap<string, string> => new Map(Object.entries(amounts));

/** The settings of withdrawals as the core takes them. */
export function withdrawalSettings({ min, max, approveAbove, addressHoldSeconds }: TillConfig['withdrawals']): WithdrawalSettings {
  return { min: byCurrency(min), max: byCurrency(max), approveAbove: byCurrency(approveAbove), addressHoldMs: addressHoldSeconds * 1000 };
}

/** What withdrawals over Lightning reserve for routing, as the core takes it. */
export function lightningFees({ lightningMaxFeeBps, lightningMinFeeSats }: TillConfig['withdrawals']): LightningFeeSettings {
  return { maxFeeBps: lightningMaxFeeBps, minFeeSats: lightningMinFeeSats };
}

/** The settings of sweeps as the core takes them. */
export function sweepSettings({ maxFeeBps, cold }: TillConfig['sweeps']): SweepSettings {
  return { maxFeeBps, cold: new Map(Object.entries(cold).map(([chain, { address, above }]) => [chain, { address, above: byCurrency(above) }])) };
}

/** What only the chains can tell of these settings: unknown currencies, too many decimals, addresses that are none. */
export function moneyProblems({ withdrawals, sweeps }: TillConfig, assets: AssetCatalogue, chains: ChainRegistry): readonly FieldError[] {
  const { min, max, approveAbove } = withdrawals;
  const limits = Object.entries({ min, max, approveAbove }).flatMap(([name, amounts]) => amountProblems(`withdrawals.${name}`, amounts, assets));
  const cold = Object.entries(sweeps.cold).flatMap(([code, { address, above }]) => {
    const chain = chains.get(code);
    const path = `sweeps.cold.${code}`;
    if (chain === undefined) return [{ path, message: 'names a chain that no plugin brings' }];
    const wrong = chain.normaliseAddress(address) === null ? [{ path: `${path}.address`, message: `write an address on ${chain.name}` }] : [];
    const own = address === chain.payments?.hotAddress ? [{ path: `${path}.address`, message: 'is the hot wallet itself' }] : [];
    return [...wrong, ...own, ...amountProblems(`${path}.above`, above, assets)];
  });
  return [...limits, ...cold];
}

function amountProblems(path: string, amounts: Amounts, assets: AssetCatalogue): readonly FieldError[] {
  return Object.entries(amounts).flatMap(([currency, amount]) => {
    const asset = assets.find(currency);
    if (asset === null) return [{ path: `${path}.${currency}`, message: 'is no currency of this till' }];
    return parseUnits(amount, asset.decimals) === null ? [{ path: `${path}.${currency}`, message: `write at most ${asset.decimals} decimals` }] : [];
  });
}
