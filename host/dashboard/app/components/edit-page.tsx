import { Edit, SaveButton, SimpleForm, Toolbar } from 'react-admin';
import type { EditProps, SimpleFormProps } from 'react-admin';

/** The page that changes a record: it is saved before it is shown again. */
export function EditPage({ transform, children }: Required<Pick<EditProps, 'transform' | 'children'>>) {
  return (
    <Edit redirect="show" mutationMode="pessimistic" actions={false} transform={transform}>
      {children}
    </Edit>
  );
}

const TOOLBAR = (
  <Toolbar>
    <SaveButton />
  </Toolbar>
);

/** A form that saves, and deletes nothing. */
export function EditForm(props: Pick<SimpleFormProps, 'record' | 'children'>) {
  return <SimpleForm toolbar={TOOLBAR} {...props} />;
}

/** What is sent of a form: the changes against the record as it was read. */
export const changesSent =
  <Form, Item>(bodyOf: (form: Form) => object, changesOf: (former: Item, form: Form) => object) =>
  (form: Form, former?: { readonly previousData: Item }): object =>
    former === undefined ? bodyOf(form) : changesOf(former.previousData, form);
