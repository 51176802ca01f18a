import { SelectArrayInput, SelectInput, TextInput, required } from 'react-admin';
import { useService } from '../../components/service.ts';
import type { AccountItem } from '../../operator-records.ts';

const ROLES: readonly AccountItem['role'][] = ['user', 'admin'];
const ALL = '*';

export function AccountFields({ role = true }: { readonly role?: boolean }) {
  const service = useService();
  const coins = [...new Set((service?.coins ?? []).map(({ coin }) => coin))];
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
        source="verified_coins"
        choices={[{ id: ALL, name: 'resources.accounts.allCurrencies' }, ...coins.map((id) => ({ id, name: id }))]}
        helperText="resources.accounts.currenciesHelp"
      />
    </>
  );
}
