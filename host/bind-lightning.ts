import type { ContainerModuleLoadOptions } from 'inversify';
import {
  CLOCK,
  DEADLINE,
  EVENT_BUS,
  ID_GENERATOR,
  InvoiceFollower,
  InvoicePayer,
  Invoices,
  LIGHTNING,
  LOGGER,
  LightningDesk,
  METRICS,
  RequestLightningPayment,
  STORAGE,
} from '../core/index.ts';
import type { LightningNode } from '../core/index.ts';
import { lightningFees, withdrawalSettings } from './money-settings.ts';
import * as tokens from './tokens.ts';

/** Binds orders, withdrawals and workers of Lightning; without a node each part is `null`. */
export function bindLightning(container: Pick<ContainerModuleLoadOptions, 'bind'>, found: LightningNode | null): void {
  container.bind(LIGHTNING).toConstantValue(found);
  container
    .bind(tokens.INVOICES)
    .toResolvedValue((node, storage, clock) => (node === null ? null : new Invoices({ node, storage, clock })), [LIGHTNING, STORAGE, CLOCK]);
  container
    .bind(tokens.LIGHTNING_PAYMENTS)
    .toResolvedValue(
      ({ withdrawals }, node, storage, secondFactor, clock, deadline, ids, events, metrics, logger) =>
        node === null
          ? null
          : new RequestLightningPayment({
              node,
              storage,
              secondFactor,
              clock,
              deadline,
              ids,
              events,
              metrics,
              logger,
              settings: withdrawalSettings(withdrawals),
              fees: lightningFees(withdrawals),
            }),
      [tokens.CONFIG, LIGHTNING, STORAGE, tokens.SECOND_FACTOR, CLOCK, DEADLINE, ID_GENERATOR, EVENT_BUS, METRICS, LOGGER],
    );
  container
    .bind(tokens.LIGHTNING_DESK)
    .toResolvedValue(
      (node, payments, queries) => new LightningDesk({ node, payments, payUrl: (order) => queries.payUrl(order) }),
      [LIGHTNING, tokens.LIGHTNING_PAYMENTS, tokens.ORDER_QUERIES],
    );
  container
    .bind(tokens.LIGHTNING_WORK)
    .toResolvedValue(
      (node, storage, mover, clock, ids, events, logger, metrics) => {
        if (node === null) return null;
        const deps = { node, storage, mover, clock, ids, events, logger, metrics };
        return { node, follower: new InvoiceFollower(deps), payer: new InvoicePayer(deps) };
      },
      [LIGHTNING, STORAGE, tokens.ORDER_MOVER, CLOCK, ID_GENERATOR, EVENT_BUS, LOGGER, METRICS],
    );
}
