import { Edit, SaveButton, SimpleForm, Toolbar, useGetIdentity, useRecordContext } from 'react-admin';
import type { AccountFile } from '../../operator-records.ts';
import { AccountFields } from './account-fields.tsx';

type Editable = Pick<AccountFile, 'name' | 'role' | 'verified_currencies'>;

/** The role only where it changes: making somebody an admin is more than a change of a name. */
function bodyOf(form: Editable, former?: { readonly previousData: Editable }): Partial<Editable> {
  const { name, role, verified_currencies } = form;
  return {
    name: name === '' ? null : name,
    verified_currencies,
    ...(role === former?.previousData.role ? {} : { role }),
  };
}

/** A change of an account. */
export function AccountEdit() {
  return (
    <Edit redirect="show" mutationMode="pessimistic" actions={false} transform={bodyOf}>
      <AccountForm />
    </Edit>
  );
}

function AccountForm() {
  const { identity } = useGetIdentity();
  const account = useRecordContext<AccountFile>();
  return (
    <SimpleForm
      toolbar={
        <Toolbar>
          <SaveButton />
        </Toolbar>
      }
    >
      <AccountFields role={account?.id !== identity?.id} />
    </SimpleForm>
  );
}
