import { SaveButton, SimpleForm, Toolbar, useResourceContext } from 'react-admin';
import type { SimpleFormProps } from 'react-admin';

/** The form of a new record; its button has the words of the page's title. */
export function CreateForm(props: Pick<SimpleFormProps, 'defaultValues' | 'children'>) {
  const resource = useResourceContext() ?? '';
  const toolbar = (
    <Toolbar>
      <SaveButton label={`resources.${resource}.page.create`} icon={<></>} />
    </Toolbar>
  );
  return <SimpleForm toolbar={toolbar} {...props} />;
}
