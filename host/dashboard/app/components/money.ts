import { useLocaleState } from 'react-admin';
import { coinName, moneyText } from '../money.ts';
import { useService } from './service.ts';

/** Writes an amount with its currency in the language of the reader. */
export function useMoney(): (value: string, currency: string) => string {
  const [locale] = useLocaleState();
  const service = useService();
  return (value, currency) => moneyText(locale, value, currency, service);
}

/** What people call a coin, by its code. */
export function useCoinName(): (coin: string) => string {
  const service = useService();
  return (coin) => coinName(coin, service);
}

/** The coins in which orders can be made, for a choice. */
export function useCoinChoices(): { readonly id: string; readonly name: string }[] {
  const service = useService();
  const coins = (service?.coins ?? []).filter(({ enabled }) => enabled);
  return coins.map(({ coin }) => ({ id: coin, name: coinName(coin, service) }));
}

/** The fiat currencies in which orders can be priced, for a choice. */
export function useFiatChoices(): { readonly id: string; readonly name: string }[] {
  const service = useService();
  return (service?.fiats ?? []).map(({ currency, name }) => ({ id: currency, name: `${currency} – ${name}` }));
}
