import { Edit, SaveButton, SimpleForm, Toolbar } from 'react-admin';
import type { EditProps, SimpleFormProps } from 'react-admin';
import type { ReactNode } from 'react';
import { Beside } from './beside.tsx';

/** A page that changes a record and shows it only once it is saved. */
export function EditPage({ transform, children }: Required<Pick<EditProps, 'transform' | 'children'>>) {
  return (
    <Edit redirect="show" mutationMode="pessimistic" actions={false} transform={transform}>
      {children}
    </Edit>
  );
}

const TOOLBAR = (
  <Toolbar>
    <SaveButton icon={<></>} />
  </Toolbar>
);

interface EditFormProps extends Pick<SimpleFormProps, 'record' | 'children'> {
  readonly beside?: ReactNode;
  readonly wide?: boolean;
}

/** A form without a delete button. */
export function EditForm({ children, beside, wide = false, ...form }: EditFormProps) {
  return (
    <SimpleForm toolbar={TOOLBAR} {...form}>
      <Beside beside={beside} wide={wide}>
        {children}
      </Beside>
    </SimpleForm>
  );
}

/** Sends only the differences from the record as it was read. */
export const changesSent =
  <Form, Item>(bodyOf: (form: Form) => object, changesOf: (former: Item, form: Form) => object) =>
  (form: Form, former?: { readonly previousData: Item }): object =>
    former === undefined ? bodyOf(form) : changesOf(former.previousData, form);
