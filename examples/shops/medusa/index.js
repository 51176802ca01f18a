import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { TillgateProvider } from './provider.js';

/** The provider for `providers` of `@medusajs/medusa/payment` in `medusa-config.ts`. */
export default ModuleProvider(Modules.PAYMENT, { services: [TillgateProvider] });
