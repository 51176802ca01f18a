import { ALL_IN_USD, parseUnits } from '../../core/index.ts';
import type {
  AssetCatalogue,
  ChainRegistry,
  FieldError,
  SweepSettings,
  WithdrawalLimit,
  WithdrawalSettings,
} from '../../core/index.ts';

/** Problems that only the chains can find: unknown currencies, too many decimals, invalid addresses. */
export function moneyProblems(
  { withdrawals, sweeps }: { readonly withdrawals: WithdrawalSettings; readonly sweeps: SweepSettings },
  assets: AssetCatalogue,
  chains: ChainRegistry,
): readonly FieldError[] {
  const { min, max, approveAbove, limits: windows = [] } = withdrawals;
  const limits = Object.entries({ min, max, approveAbove }).flatMap(([name, amounts]) =>
    amountProblems(`withdrawals.${name}`, amounts, assets),
  );
  const cold = [...sweeps.cold].flatMap(([code, { address, above }]) => {
    const chain = chains.get(code);
    const path = `sweeps.cold.${code}`;
    if (chain === undefined) return [{ path, message: 'names a chain that no plugin adds' }];
    const wrong =
      chain.normaliseAddress(address) === null
        ? [{ path: `${path}.address`, message: `write an address on ${chain.name}` }]
        : [];
    const own =
      address === chain.payments?.hotAddress ? [{ path: `${path}.address`, message: 'is the hot wallet itself' }] : [];
    const problem = wrong.length > 0 ? null : (chain.destinationProblem?.(address) ?? null);
    const lost = problem === null ? [] : [{ path: `${path}.address`, message: problem }];
    return [...wrong, ...own, ...lost, ...amountProblems(`${path}.above`, above, assets)];
  });
  return [
    ...limits,
    ...windows.flatMap((limit, at) => limitProblems(limit, at, assets)),
    ...cold,
    ...amountProblems('sweeps.feeBudget', sweeps.feeBudget ?? new Map(), assets),
  ];
}

function amountProblems(
  path: string,
  amounts: ReadonlyMap<string, string>,
  assets: AssetCatalogue,
): readonly FieldError[] {
  return [...amounts].flatMap(([currency, amount]) => {
    const asset = assets.find(currency);
    if (asset === null) return [{ path: `${path}.${currency}`, message: 'is not a currency of this till' }];
    return parseUnits(amount, asset.decimals) === null
      ? [{ path: `${path}.${currency}`, message: `write at most ${asset.decimals} decimals` }]
      : [];
  });
}

function limitProblems(
  { currency, perAccount, total }: WithdrawalLimit,
  at: number,
  assets: AssetCatalogue,
): readonly FieldError[] {
  if (currency === ALL_IN_USD) return [];
  const path = `withdrawals.limits.${at}`;
  const asset = assets.find(currency);
  if (asset === null) return [{ path: `${path}.currency`, message: 'is neither a currency of this till nor USD' }];
  return Object.entries({ perAccount, total }).flatMap(([name, amount]) =>
    amount === undefined || parseUnits(amount, asset.decimals) !== null
      ? []
      : [{ path: `${path}.${name}`, message: `write at most ${asset.decimals} decimals` }],
  );
}
