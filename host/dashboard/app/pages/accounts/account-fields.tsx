import { SelectArrayInput, SelectInput, TextInput, required } from 'react-admin';
import { useService } from '../../components/service.ts';
import type { AccountItem } from '../../operator-records.ts';

const ROLES: readonly AccountItem['role'][] = ['user', 'admin'];
const ALL = '*';

export function AccountFields({ role = true }: { readonly role?: boolean }) {
  const service = useService();
  const currencies = [...new Set((service?.coins ?? []).map(({ currency }) => currency))];
  return (
    <>
      <TextInput source="name" label="resources.accounts.fields.account_name" helperText={false} />
      {role ? (
        <SelectInput
          source="role"
          validate={required()}
          choices={ROLES.map((id) => ({ id, name: `resources.accounts.roles.${id}` }))}
          helperText={false}
        />
      ) : null}
      <SelectArrayInput
        source="verified_currencies"
        choices={[{ id: ALL, name: 'resources.accounts.allCurrencies' }, ...currencies.map((id) => ({ id, name: id }))]}
        helperText="resources.accounts.currenciesHelp"
      />
    </>
  );
}
