import {
  PayoutFeeEstimator,
  PayoutRunner,
  RequestCharge,
  RequestRefund,
  RequestWithdrawal,
  UnassignedDeposits,
  WalletQueries,
  WatchLedger,
  WithdrawalLimits,
  canPay,
} from '../../../core/index.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** Withdrawals, refunds, sweeps, the payout runner of each chain that pays, and the check of the ledger. */
export const payoutRecipes = {
  watchLedger: recipe(['storage', 'clock', 'logger', 'events', 'metrics'], (ports) => new WatchLedger(ports)),
  payoutFees: recipe(
    ['config', 'storage', 'rateBook', 'clock'],
    ({ config, rateBook: rates, ...ports }) =>
      new PayoutFeeEstimator({ ...ports, rates, feeBudget: config.sweeps.feeBudget }),
  ),
  withdrawalLimits: recipe(
    ['config', 'assets', 'rateBook'],
    ({ config, assets, rateBook: rates }) => new WithdrawalLimits({ limits: config.withdrawals.limits, assets, rates }),
  ),
  requestWithdrawal: recipe(
    [
      'config',
      'storage',
      'assets',
      'chains',
      'payoutFees',
      'secondFactor',
      'clock',
      'ids',
      'events',
      'metrics',
      'logger',
      'lightningPayments',
      'withdrawalLimits',
    ],
    ({ config, payoutFees: fees, lightningPayments: lightning, withdrawalLimits: limits, ...parts }) =>
      new RequestWithdrawal({ ...parts, fees, lightning, limits, settings: config.withdrawals }),
  ),
  requestRefund: recipe(
    [
      'config',
      'storage',
      'assets',
      'chains',
      'payoutFees',
      'secondFactor',
      'clock',
      'ids',
      'events',
      'metrics',
      'logger',
      'withdrawalLimits',
    ],
    ({ config: { withdrawals }, payoutFees: fees, withdrawalLimits: limits, ...parts }) =>
      new RequestRefund({ ...parts, fees, limits, settings: withdrawals.refunds, withdrawals }),
  ),
  requestCharge: recipe(
    ['storage', 'assets', 'chains', 'rateBook', 'orderQueries', 'clock', 'ids', 'events', 'metrics'],
    (parts) => new RequestCharge(parts),
  ),
  unassignedDeposits: recipe(
    [
      'config',
      'storage',
      'assets',
      'chains',
      'payoutFees',
      'withdrawalLimits',
      'orderStateMachine',
      'clock',
      'ids',
      'events',
      'metrics',
      'logger',
    ],
    ({
      config: { withdrawals },
      payoutFees: fees,
      withdrawalLimits: limits,
      orderStateMachine: stateMachine,
      ...parts
    }) => new UnassignedDeposits({ ...parts, fees, limits, stateMachine, withdrawals }),
  ),
  payouts: recipe(
    [
      'config',
      'chains',
      'storage',
      'assets',
      'rateBook',
      'orderStateMachine',
      'clock',
      'ids',
      'events',
      'logger',
      'metrics',
    ],
    ({ config, chains, rateBook: rates, orderStateMachine: stateMachine, ...parts }) => {
      const deps = { ...parts, rates, stateMachine };
      return new Map(
        [...chains.values()]
          .filter(canPay)
          .map((chain) => [chain.code, new PayoutRunner(chain, deps, config.sweeps, config.payouts)]),
      );
    },
  ),
  walletQueries: recipe(['storage', 'assets', 'chains'], (parts) => new WalletQueries(parts)),
} satisfies Recipes;
