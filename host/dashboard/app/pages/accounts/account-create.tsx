import { Create, PasswordInput, SimpleForm, TextInput, required } from 'react-admin';
import { AccountFields } from './account-fields.tsx';

/** A new account; who logs in first has to choose a password of its own. */
export function AccountCreate() {
  return (
    <Create redirect="show">
      <SimpleForm defaultValues={{ role: 'user', verified_currencies: [] }}>
        <TextInput source="email" type="email" validate={required()} autoComplete="off" autoFocus helperText={false} />
        <PasswordInput
          source="password"
          validate={required()}
          autoComplete="new-password"
          helperText="resources.accounts.passwordHelp"
        />
        <AccountFields />
      </SimpleForm>
    </Create>
  );
}
