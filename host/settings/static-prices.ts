import { PRICE_DEFINITIONS } from '../../plugins/prices.ts';

/** US dollars per unit of every supported fiat code. */
const FIAT_PRICES: Readonly<Record<string, string>> = {
  USD: '1',
  EUR: '1.08',
  CNY: '0.14',
  GBP: '1.27',
  AUD: '0.66',
  CAD: '0.73',
  JPY: '0.0067',
  HKD: '0.128',
  INR: '0.012',
  ZAR: '0.055',
  TWD: '0.031',
  KRW: '0.00073',
  THB: '0.028',
  NZD: '0.6',
  SGD: '0.75',
  AED: '0.2723',
  ARS: '0.001',
  BDT: '0.0084',
  BHD: '2.65',
  BMD: '1',
  BRL: '0.18',
  CHF: '1.12',
  CLP: '0.0011',
  CZK: '0.043',
  DKK: '0.145',
  HUF: '0.0027',
  IDR: '0.000063',
  ILS: '0.27',
  KWD: '3.25',
  LKR: '0.0033',
  MMK: '0.00048',
  MXN: '0.055',
  MYR: '0.22',
  NGN: '0.00065',
  NOK: '0.094',
  PHP: '0.0175',
  PKR: '0.0036',
  PLN: '0.25',
  RUB: '0.011',
  SAR: '0.2666',
  SEK: '0.096',
  TRY: '0.03',
  UAH: '0.0245',
  VEF: '0.0000003',
  VND: '0.00004',
  XDR: '1.33',
  XAG: '29',
  XAU: '2400',
};

/**
 * US dollars per unit of every fiat code and every coin of the till: round figures for the sandbox, where no money is
 * real. A till that takes real money configures its own `rates.sources`.
 */
export const SANDBOX_PRICES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(PRICE_DEFINITIONS).map(([symbol, { sandboxUsd }]) => [symbol, sandboxUsd])),
  ...FIAT_PRICES,
};
