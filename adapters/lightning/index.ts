/**
 * The Lightning port on lnd, Core Lightning and phoenixd.
 *
 * @packageDocumentation
 */
export { openLightning } from './open-lightning.ts';
export { parseLightningOptions } from './plugin-options.ts';
export type { LightningPluginInput, LightningPluginOptions, PinnedCertificate } from './plugin-options.ts';
export { readPayableRequest } from './payable-request.ts';
export { readPaymentRequest } from './payment-request.ts';
