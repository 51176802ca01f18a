import { PluginCommonModule, VendurePlugin } from '@vendure/core';
import { raw } from 'express';
import { tillgateHandler } from './handler.js';
import { Settlements } from './settlements.js';
import { Till } from './till.js';
import { WebhookController } from './webhook-controller.js';

const PATH = '/tillgate/webhook';
/** In bytes; every event is shorter. */
const MAX_BODY = 256 * 1024;

/** The plugin of `vendure-config.ts`: `plugins: [TillgatePlugin.init({ … })]`. */
export class TillgatePlugin {
  static till = /** @type {Till | null} */ (null);

  /** @param {import('./till.js').TillOptions} options */
  static init(options) {
    TillgatePlugin.till = new Till(options);
    return TillgatePlugin;
  }
}

function theTill() {
  if (TillgatePlugin.till === null) throw new Error('List TillgatePlugin.init({ … }), not TillgatePlugin, in plugins.');
  return TillgatePlugin.till;
}

/** @param {'Created' | 'Pending'} state */
const waitsIn = (state) => ({ transitions: { [state]: { to: [state] } } });

VendurePlugin({
  compatibility: '^3.7.0',
  imports: [PluginCommonModule],
  providers: [{ provide: Till, useFactory: theTill }, Settlements],
  controllers: [WebhookController],
  configuration: (config) => {
    const { apiOptions, paymentOptions } = config;
    paymentOptions.paymentMethodHandlers.push(tillgateHandler(theTill()));
    // A payment waits for its payer and a refund for the chain, which Vendure's own transition tables forbid.
    paymentOptions.process = [...(paymentOptions.process ?? []), waitsIn('Created')];
    paymentOptions.refundProcess = [...(paymentOptions.refundProcess ?? []), waitsIn('Pending')];
    // The signature covers the bytes of the body, so nothing may parse it before.
    apiOptions.middleware.push({
      route: PATH,
      beforeListen: true,
      handler: raw({ type: () => true, limit: MAX_BODY }),
    });
    return config;
  },
})(TillgatePlugin);
