import { magento2 } from './magento2.ts';
import { nopcommerce } from './nopcommerce.ts';
import { opencart } from './opencart.ts';
import { prestashop } from './prestashop.ts';
import type { Plugin } from './recorded.ts';
import { shopware6 } from './shopware6.ts';
import { woocommerce } from './woocommerce.ts';

/** Every plugin that this folder knows. */
export const PLUGINS: readonly Plugin[] = [woocommerce, prestashop, magento2, shopware6, opencart, nopcommerce];
