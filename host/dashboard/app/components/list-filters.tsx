import { DateTimeInput, SelectInput, TextInput } from 'react-admin';
import { useCoinName } from './money.ts';
import { useService } from './service.ts';

/** Converts a local time to the API's format. */
const toInstant = (value: string): string | null => (value === '' ? null : new Date(value).toISOString());

interface FilterProps {
  readonly source: string;
  /** Makes the filter permanently visible; read by the filter form. */
  readonly alwaysOn?: boolean;
}

function ChainFilter({ source }: FilterProps) {
  const service = useService();
  const chains = new Map((service?.coins ?? []).map((coin) => [coin.chain, coin.chain_name]));
  return (
    <SelectInput source={source} choices={[...chains].map(([id, name]) => ({ id, name }))} translateChoice={false} />
  );
}

function CoinFilter({ source }: FilterProps) {
  const service = useService();
  const name = useCoinName();
  const choices = (service?.coins ?? []).map(({ coin }) => ({ id: coin, name: name(coin) }));
  return <SelectInput source={source} choices={choices} translateChoice={false} />;
}

export const PAYMENT_FILTERS = [
  <ChainFilter key="chain" source="chain" />,
  <CoinFilter key="coin" source="coin" />,
  <DateTimeInput key="from" source="from" parse={toInstant} />,
  <DateTimeInput key="to" source="to" parse={toInstant} />,
];

/** For admins, whose lists contain the records of all accounts. */
export const ACCOUNT_FILTER = <TextInput key="account" source="account" />;
