import {
  InvoiceFollower,
  InvoicePayer,
  Invoices,
  LightningService,
  RequestLightningPayment,
} from '../../../core/index.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** Orders, withdrawals and workers of Lightning; each is `null` without a node. */
export const lightningRecipes = {
  invoices: recipe(['lightning', 'storage', 'clock'], ({ lightning: node, ...ports }) =>
    node === null ? null : new Invoices({ ...ports, node }),
  ),
  lightningPayments: recipe(
    [
      'config',
      'lightning',
      'storage',
      'secondFactor',
      'clock',
      'deadline',
      'ids',
      'events',
      'metrics',
      'logger',
      'withdrawalLimits',
    ],
    ({ config: { withdrawals: settings }, lightning: node, withdrawalLimits: limits, ...parts }) =>
      node === null
        ? null
        : new RequestLightningPayment({
            ...parts,
            node,
            limits,
            settings,
            fees: settings.lightningFees,
            longestInvoiceMs: settings.lightningLongestInvoiceMs,
          }),
  ),
  lightningService: recipe(
    ['lightning', 'lightningPayments', 'orderQueries'],
    ({ lightning: node, lightningPayments: payments, orderQueries }) =>
      new LightningService({ node, payments, payUrl: (order) => orderQueries.payUrl(order) }),
  ),
  lightningWork: recipe(
    ['lightning', 'storage', 'orderStateMachine', 'latePayments', 'clock', 'ids', 'events', 'logger', 'metrics'],
    ({ lightning: node, orderStateMachine: stateMachine, ...ports }) => {
      if (node === null) return null;
      const deps = { ...ports, node, stateMachine };
      return { node, follower: new InvoiceFollower(deps), payer: new InvoicePayer(deps) };
    },
  ),
} satisfies Recipes;
