import { TillgateError } from './errors.ts';

/** A fiat currency that orders can be priced in; amounts are whole units of `10^-decimals` (ISO 4217's minor unit where it has one). */
export interface Fiat {
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
}

const fiat = (code: string, name: string, decimals: number): Fiat => ({ code, name, decimals });

/**
 * The 48 supported fiat codes, in the order of the currency list.
 *
 * ISO 4217 defines no minor unit for XDR, XAU and XAG; they have the decimals of their usual quotes.
 */
export const FIATS: readonly Fiat[] = [
  fiat('USD', 'US Dollar', 2),
  fiat('EUR', 'Euro', 2),
  fiat('CNY', 'Chinese Yuan', 2),
  fiat('GBP', 'British Pound', 2),
  fiat('AUD', 'Australian Dollar', 2),
  fiat('CAD', 'Canadian Dollar', 2),
  fiat('JPY', 'Japanese Yen', 0),
  fiat('HKD', 'Hong Kong Dollar', 2),
  fiat('INR', 'Indian Rupee', 2),
  fiat('ZAR', 'South African Rand', 2),
  fiat('TWD', 'New Taiwan Dollar', 2),
  fiat('KRW', 'South Korean Won', 0),
  fiat('THB', 'Thai Baht', 2),
  fiat('NZD', 'New Zealand Dollar', 2),
  fiat('SGD', 'Singapore Dollar', 2),
  fiat('AED', 'United Arab Emirates Dirham', 2),
  fiat('ARS', 'Argentine Peso', 2),
  fiat('BDT', 'Bangladeshi Taka', 2),
  fiat('BHD', 'Bahraini Dinar', 3),
  fiat('BMD', 'Bermudian Dollar', 2),
  fiat('BRL', 'Brazilian Real', 2),
  fiat('CHF', 'Swiss Franc', 2),
  fiat('CLP', 'Chilean Peso', 0),
  fiat('CZK', 'Czech Koruna', 2),
  fiat('DKK', 'Danish Krone', 2),
  fiat('HUF', 'Hungarian Forint', 2),
  fiat('IDR', 'Indonesian Rupiah', 2),
  fiat('ILS', 'Israeli New Shekel', 2),
  fiat('KWD', 'Kuwaiti Dinar', 3),
  fiat('LKR', 'Sri Lankan Rupee', 2),
  fiat('MMK', 'Myanmar Kyat', 2),
  fiat('MXN', 'Mexican Peso', 2),
  fiat('MYR', 'Malaysian Ringgit', 2),
  fiat('NGN', 'Nigerian Naira', 2),
  fiat('NOK', 'Norwegian Krone', 2),
  fiat('PHP', 'Philippine Peso', 2),
  fiat('PKR', 'Pakistani Rupee', 2),
  fiat('PLN', 'Polish Zloty', 2),
  fiat('RUB', 'Russian Ruble', 2),
  fiat('SAR', 'Saudi Riyal', 2),
  fiat('SEK', 'Swedish Krona', 2),
  fiat('TRY', 'Turkish Lira', 2),
  fiat('UAH', 'Ukrainian Hryvnia', 2),
  fiat('VEF', 'Venezuelan Bolivar', 2),
  fiat('VND', 'Vietnamese Dong', 0),
  fiat('XDR', 'Special Drawing Right', 5),
  fiat('XAG', 'Silver (troy ounce)', 6),
  fiat('XAU', 'Gold (troy ounce)', 6),
];

const byCode = new Map(FIATS.map((entry) => [entry.code, entry]));

/** The fiat currency of a code; `null` for a code that is not supported. */
export function findFiat(code: string): Fiat | null {
  return byCode.get(code) ?? null;
}

/** @throws TillgateError `UNSUPPORTED` for another code than those of {@link FIATS} */
export function requireFiat(code: string): Fiat {
  const fiat = findFiat(code);
  if (fiat !== null) return fiat;
  throw new TillgateError(
    'UNSUPPORTED',
    `The fiat currency ${code} is not supported; see the list of fiat currencies.`,
  );
}
