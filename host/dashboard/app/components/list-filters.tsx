import { AutocompleteInput, DateTimeInput, ReferenceInput, SelectInput, useResourceContext } from 'react-admin';
import type { AccountItem } from '../operator-records.ts';
import { useCoinName } from './money.ts';
import { OF_LISTS } from './records.tsx';
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

const MOST_MERCHANTS = 10;
const toSearch = (text: string): object => (text.trim() === '' ? {} : { q: text.trim() });

/** An account, found by a part of its email address or name. */
function AccountFilter({ source }: FilterProps) {
  const resource = useResourceContext();
  return (
    <ReferenceInput source={source} reference="accounts" perPage={MOST_MERCHANTS} queryOptions={{ meta: OF_LISTS }}>
      <AutocompleteInput
        label={`resources.${resource}.fields.${source}`}
        optionText={({ email, name }: AccountItem) => (name === null ? email : `${email} · ${name}`)}
        filterToQuery={toSearch}
        noOptionsText="tillgate.noMatches"
        helperText={false}
        sx={{ minWidth: { sm: '20rem' } }}
      />
    </ReferenceInput>
  );
}

/** For admins, whose lists contain the records of all accounts. */
export const ACCOUNT_FILTER = <AccountFilter key="account" source="account" />;
export const ACCOUNT_FILTER_SHOWN = <AccountFilter key="account" source="account" alwaysOn />;
