import { DateTimeInput, TextInput } from 'react-admin';

/** Converts a local time to the API's format. */
const toInstant = (value: string): string | null => (value === '' ? null : new Date(value).toISOString());

export const PAYMENT_FILTERS = [
  <TextInput key="chain" source="chain" />,
  <TextInput key="coin" source="coin" />,
  <DateTimeInput key="from" source="from" parse={toInstant} />,
  <DateTimeInput key="to" source="to" parse={toInstant} />,
];

/** For admins, whose lists contain the records of all accounts. */
export const ACCOUNT_FILTER = <TextInput key="account" source="account" />;
