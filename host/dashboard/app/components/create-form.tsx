import { SaveButton, SimpleForm, Toolbar, useResourceContext } from 'react-admin';
import type { SimpleFormProps } from 'react-admin';
import type { ReactNode } from 'react';
import { Beside } from './beside.tsx';

interface CreateFormProps extends Pick<SimpleFormProps, 'defaultValues' | 'children'> {
  readonly beside?: ReactNode;
  readonly wide?: boolean;
}

/** The form of a new record; its button has the words of the page's title. */
export function CreateForm({ children, beside, wide = false, ...form }: CreateFormProps) {
  const resource = useResourceContext() ?? '';
  const toolbar = (
    <Toolbar>
      <SaveButton label={`resources.${resource}.page.create`} icon={<></>} />
    </Toolbar>
  );
  return (
    <SimpleForm toolbar={toolbar} {...form}>
      <Beside beside={beside} wide={wide}>
        {children}
      </Beside>
    </SimpleForm>
  );
}
