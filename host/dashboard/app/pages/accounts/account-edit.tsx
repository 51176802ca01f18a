import { useGetIdentity, useRecordContext } from 'react-admin';
import { EditForm, EditPage } from '../../components/edit-page.tsx';
import type { AccountFile } from '../../operator-records.ts';
import { AccountFields } from './account-fields.tsx';

type Editable = Pick<AccountFile, 'name' | 'role' | 'verified_coins'>;

/** Sends the role only if it changed, because changing a role needs more rights than changing a name. */
function bodyOf(form: Editable, former?: { readonly previousData: Editable }): Partial<Editable> {
  const { name, role, verified_coins } = form;
  return {
    name: name === '' ? null : name,
    verified_coins,
    ...(role === former?.previousData.role ? {} : { role }),
  };
}

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
