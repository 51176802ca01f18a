import { DateTimeInput, TextInput } from 'react-admin';

/** A moment of the reader's time zone as the API takes it. */
const toInstant = (value: string): string | null => (value === '' ? null : new Date(value).toISOString());

/** Filters of lists of payments. */
export const PAYMENT_FILTERS = [
  <TextInput key="chain" source="chain" />,
  <TextInput key="currency" source="currency" />,
  <DateTimeInput key="from" source="from" parse={toInstant} />,
  <DateTimeInput key="to" source="to" parse={toInstant} />,
];

/** For admins, whose lists have the records of all accounts. */
export const ACCOUNT_FILTER = <TextInput key="user_id" source="user_id" />;
