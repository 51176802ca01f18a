import type { ContainerModuleLoadOptions } from 'inversify';
import { CHAINS_TOKEN, CLOCK, DIGEST, EVENT_BUS, FeeDesk, ID_GENERATOR, LOGGER, METRICS, PayoutRunner, RANDOM, RequestRefund, RequestWithdrawal, STORAGE, SecondFactor, VAULT, WalletQueries, canPay } from '../core/index.ts';
import { sweepSettings, withdrawalSettings } from './money-settings.ts';
import * as tokens from './tokens.ts';

/** Binds fees, withdrawals, refunds, wallets, and the runner of each chain that pays. */
export function bindMoneyOut(container: Pick<ContainerModuleLoadOptions, 'bind'>): void {
  container.bind(tokens.FEE_DESK).toResolvedValue((storage, rates, clock) => new FeeDesk({ storage, rates, clock }), [STORAGE, tokens.RATE_BOOK, CLOCK]);
  container
    .bind(tokens.SECOND_FACTOR)
    .toResolvedValue(
      ({ serviceName }, storage, vault, random, digest, clock) => new SecondFactor({ storage, vault, random, digest, clock, issuer: serviceName }),
      [tokens.CONFIG, STORAGE, VAULT, RANDOM, DIGEST, CLOCK],
    );
  container
    .bind(tokens.REQUEST_WITHDRAWAL)
    .toResolvedValue(
      ({ withdrawals }, storage, assets, chains, fees, secondFactor, clock, ids, events, metrics, logger, lightning) =>
        new RequestWithdrawal({ storage, assets, chains, fees, secondFactor, clock, ids, events, metrics, logger, lightning, settings: withdrawalSettings(withdrawals) }),
      [tokens.CONFIG, STORAGE, tokens.ASSETS, CHAINS_TOKEN, tokens.FEE_DESK, tokens.SECOND_FACTOR, CLOCK, ID_GENERATOR, EVENT_BUS, METRICS, LOGGER, tokens.LIGHTNING_PAYMENTS],
    );
  container
    .bind(tokens.REQUEST_REFUND)
    .toResolvedValue(
      (storage, assets, chains, fees, clock, ids, events, metrics, queries) =>
        new RequestRefund({ storage, assets, chains, fees, clock, ids, events, metrics, claimUrl: (order) => queries.payUrl(order) }),
      [STORAGE, tokens.ASSETS, CHAINS_TOKEN, tokens.FEE_DESK, CLOCK, ID_GENERATOR, EVENT_BUS, METRICS, tokens.ORDER_QUERIES],
    );
  container.bind(tokens.PAYOUTS).toResolvedValue(
    ({ sweeps }, chains, storage, assets, rates, mover, clock, ids, events, logger, metrics) => {
      const deps = { storage, assets, rates, mover, clock, ids, events, logger, metrics };
      return new Map([...chains.values()].filter(canPay).map((chain) => [chain.code, new PayoutRunner(chain, deps, sweepSettings(sweeps))]));
    },
    [tokens.CONFIG, CHAINS_TOKEN, STORAGE, tokens.ASSETS, tokens.RATE_BOOK, tokens.ORDER_MOVER, CLOCK, ID_GENERATOR, EVENT_BUS, LOGGER, METRICS],
  );
  container
    .bind(tokens.WALLET_QUERIES)
    .toResolvedValue((storage, assets, chains) => new WalletQueries({ storage, assets, chains }), [STORAGE, tokens.ASSETS, CHAINS_TOKEN]);
}
