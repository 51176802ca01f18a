import { useGetIdentity, useRecordContext } from 'react-admin';
import { EditForm, EditPage } from '../../components/edit-page.tsx';
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
    <EditPage transform={bodyOf}>
      <AccountForm />
    </EditPage>
  );
}

function AccountForm() {
  const { identity } = useGetIdentity();
  const account = useRecordContext<AccountFile>();
  return (
    <EditForm>
      <AccountFields role={account?.id !== identity?.id} />
    </EditForm>
  );
}
