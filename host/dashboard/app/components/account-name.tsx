import Link from '@mui/material/Link';
import { useGetManyAggregate } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import type { AccountItem } from '../operator-records.ts';

interface AccountNameProps {
  /** `null` for no account. */
  readonly id: string | null;
  readonly link?: boolean;
}

/** The e-mail address of an account, for admins; its id until the address is loaded. */
export function AccountName({ id, link = false }: AccountNameProps) {
  const { data } = useGetManyAggregate<AccountItem>(
    'accounts',
    { ids: id === null ? [] : [id] },
    { enabled: id !== null },
  );
  if (id === null) return <>–</>;
  const text = data?.[0]?.email ?? id;
  if (!link) return <>{text}</>;
  return (
    <Link component={RouterLink} to={`/accounts/${id}/show`}>
      {text}
    </Link>
  );
}
