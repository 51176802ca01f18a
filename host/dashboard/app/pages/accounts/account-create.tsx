import { Create, PasswordInput, TextInput, required } from 'react-admin';
import { CreateForm } from '../../components/create-form.tsx';
import { AccountFields } from './account-fields.tsx';

/** A new account, whose user must choose a new password at the first login. */
export function AccountCreate() {
  return (
    <Create redirect="show">
      <CreateForm defaultValues={{ role: 'user', verified_coins: [] }}>
        <TextInput source="email" type="email" validate={required()} autoComplete="off" autoFocus helperText={false} />
        <PasswordInput
          source="password"
          validate={required()}
          autoComplete="new-password"
          helperText="resources.accounts.passwordHelp"
        />
        <AccountFields />
      </CreateForm>
    </Create>
  );
}
